import { hash } from 'node:crypto';
import type { PromptType } from '@commonplace/contract/prompts';
import { MOST_DETAILS } from '@commonplace/contract/wire';
import { AppError, type ErrorDetail, invalid } from '../errors.ts';
import { handleOf } from '../handles.ts';
import { MOST_RENDERED_CHARACTERS, type NamedFew, type RenderedTemplate } from './templates.ts';

const HASH_LENGTH = 12;

/** A name with no letter or digit has nothing to go by. */
export function promptHandleOf(name: string): string {
  const handle = handleOf(name);
  if (handle === '') throw invalid('name', 'Name must contain a letter or a digit');
  return handle;
}

/** Addresses what a version says and what it came from: the same content on the same parent has the same hash. */
export function commitHashOf(type: PromptType, content: string, config: unknown, parent: string | null): string {
  return hash('sha256', JSON.stringify([type, content, config, parent]), 'hex').slice(0, HASH_LENGTH);
}

export type VersionSelector = 'latest' | 'production' | number;

/** Absent or `latest`, `production`, or a number such as `3` or `v3`; without regard to case. */
export function versionSelectorOf(text: string | undefined): VersionSelector {
  const folded = (text ?? '').trim().toLowerCase();
  if (folded === '' || folded === 'latest') return 'latest';
  if (folded === 'production') return 'production';
  const number = /^v?(\d{1,9})$/.exec(folded)?.[1];
  if (number === undefined || Number(number) === 0)
    throw invalid('version', 'Version must be latest, production or a number such as 3 or v3');
  return Number(number);
}

/** The error to answer with, where a template could not be rendered. */
export function renderRefusal(refusal: Extract<RenderedTemplate, { refused: string }>): AppError {
  switch (refusal.refused) {
    case 'not-a-chat':
      return invalid('content', 'A chat prompt must be a JSON array of {role, content} to be rendered');
    case 'too-long':
      return invalid('variables', `Rendered prompt must not exceed ${MOST_RENDERED_CHARACTERS} characters`);
    case 'values':
      return mismatch(refusal.missing, refusal.unknown);
  }
}

function mismatch(missing: NamedFew, unknown: NamedFew): AppError {
  const details: ErrorDetail[] = [
    ...missing.names.map((name) => ({ path: `variables.${name}`, message: `Variable ${name} is missing` })),
    ...unknown.names.map((name) => ({ path: `variables.${name}`, message: `Variable ${name} is not in this prompt` })),
  ];
  const said = [missing.names.length > 0 && `missing: ${listed(missing)}`, unknown.names.length > 0 && `unknown: ${listed(unknown)}`];
  const message = `Variables do not match the prompt; ${said.filter(Boolean).join('; ')}`;
  return new AppError('validation_failed', message, { details: details.slice(0, MOST_DETAILS) });
}

function listed({ names, more }: NamedFew): string {
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ');
}
