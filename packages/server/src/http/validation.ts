/** Validation by the contract, and its complaints in one voice: the field, the rule, one sentence. */
import { MOST_DETAILS } from '@commonplace/contract/wire';
import type { z } from 'zod';
import { AppError, type ErrorDetail } from '../errors.ts';

export function validate<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const complaints = result.error.issues.slice(0, MOST_DETAILS).map((issue) => complaint(issue, input));
  // Two rules of the contract may say the same of one field.
  const details = [...new Map(complaints.map((one) => [`${one.path} ${one.message}`, one])).values()];
  throw new AppError('validation_failed', (details[0] as ErrorDetail).message, { details });
}

type Issue = z.core.$ZodIssue;

function complaint(issue: Issue, input: unknown): ErrorDetail {
  const value = issue.path.reduce<unknown>((parent, key) => (parent as Record<PropertyKey, unknown> | undefined)?.[key], input);
  const rule = ruleOf(issue, value);
  const isSentence = /^[A-Z]/.test(rule);
  return { path: issue.path.join('.'), message: isSentence ? rule : `${labelOf(issue.path)} ${rule}` };
}

function ruleOf(issue: Issue, value: unknown): string {
  if ((value === undefined || value === null || value === '') && issue.code !== 'custom' && issue.path.length > 0) return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return issue.path.length === 0 ? 'must be a JSON object' : `must be ${withArticle(issue.expected)}`;
    case 'too_small':
      if (issue.origin === 'string') return String(value).trim() === '' ? 'is required' : `must be at least ${issue.minimum} characters`;
      return issue.origin === 'array' ? `must have at least ${countOf(issue.minimum)}` : `must be at least ${issue.minimum}`;
    case 'too_big':
      if (issue.origin === 'string') return `must not exceed ${issue.maximum} characters`;
      return issue.origin === 'array' ? `must not have more than ${countOf(issue.maximum)}` : `must not exceed ${issue.maximum}`;
    case 'invalid_value':
      return `must be one of: ${issue.values.join(' ')}`;
    case 'invalid_format':
      if (issue.format === 'datetime') return 'must be a valid date-time';
      if (issue.format === 'uuid') return 'must be a valid UUID';
      return issue.message.startsWith('must') ? issue.message : 'has the wrong form';
    case 'custom':
      return issue.message;
    default:
      return 'is not valid';
  }
}

function countOf(count: number | bigint): string {
  return `${count} ${Number(count) === 1 ? 'item' : 'items'}`;
}

function withArticle(type: string): string {
  if (type === 'record') return 'an object';
  if (type === 'int') return 'a whole number';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** `commitMessage` reads “Commit message”. */
export function labelOf(path: readonly PropertyKey[]): string {
  const name = path.findLast((key) => typeof key === 'string');
  if (name === undefined) return 'Body';
  const words = String(name)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
