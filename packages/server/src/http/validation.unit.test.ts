import { NewAccessKey } from '@commonplace/contract/access-keys';
import { Email, JsonText, listOf, Moment, mapOf, text } from '@commonplace/contract/wire';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { AppError, type ErrorDetail } from '../errors.ts';
import { validate } from './validation.ts';

function complaints(schema: z.ZodType, input: unknown): readonly ErrorDetail[] {
  try {
    validate(schema, input);
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    const { code, message, details } = error as AppError;
    expect(code).toBe('validation_failed');
    expect(message).toBe(details?.[0]?.message);
    return details ?? [];
  }
  return [];
}

const textsOf = (schema: z.ZodType, input: unknown) => complaints(schema, input).map(({ message }) => message);

describe('texts name the field and the rule', () => {
  const Name = z.object({ name: text({ min: 3, max: 60, trim: true }) });
  const Message = z.object({ role: z.enum(['system', 'user', 'assistant']), meta: JsonText });
  test.for([
    ['absent', Name, {}, 'Name is required'],
    ['null', Name, { name: null }, 'Name is required'],
    ['empty', Name, { name: '' }, 'Name is required'],
    ['blank', Name, { name: ' \t\n' }, 'Name is required'],
    ['short', Name, { name: 'ab' }, 'Name must be at least 3 characters'],
    ['short after trimming', Name, { name: '  ab  ' }, 'Name must be at least 3 characters'],
    ['long', Name, { name: 'x'.repeat(61) }, 'Name must not exceed 60 characters'],
    ['a number', Name, { name: 7 }, 'Name must be a string'],
    ['an object', Name, { name: {} }, 'Name must be a string'],
    ['out of a list', Message, { role: 'robot' }, 'Role must be one of: system user assistant'],
    ['not JSON', Message, { role: 'user', meta: '{' }, 'Meta must be valid JSON'],
    ['an array for JSON', Message, { role: 'user', meta: [] }, 'Meta must be a JSON object'],
    ['a number for JSON', Message, { role: 'user', meta: 7 }, 'Meta must be a JSON object'],
    [
      'camel case',
      z.object({ commitMessage: text({ max: 255 }) }),
      { commitMessage: 'x'.repeat(256) },
      'Commit message must not exceed 255 characters',
    ],
    ['a boolean', z.object({ production: z.boolean() }), { production: 'yes' }, 'Production must be a boolean'],
    ['a whole number', z.object({ limit: z.int() }), { limit: 1.5 }, 'Limit must be a whole number'],
    ['too small a number', z.object({ limit: z.int().min(1) }), { limit: -1 }, 'Limit must be at least 1'],
    ['too big a number', z.object({ limit: z.int().max(100) }), { limit: 101 }, 'Limit must not exceed 100'],
    ['an empty array', z.object({ ids: z.array(z.uuid()).min(1) }), { ids: [] }, 'Ids must have at least 1 item'],
    ['too long an array', z.object({ ids: z.array(z.int()).max(2) }), { ids: [1, 2, 3] }, 'Ids must not have more than 2 items'],
    ['no array', z.object({ ids: z.array(z.int()) }), { ids: 'x' }, 'Ids must be an array'],
    ['no object', z.object({ labels: z.record(z.string(), z.string()) }), { labels: 'x' }, 'Labels must be an object'],
    ['a UUID', z.object({ promptId: z.uuid() }), { promptId: 'x' }, 'Prompt id must be a valid UUID'],
    ['a time', z.object({ expiresAt: Moment }), { expiresAt: 'soon' }, 'Expires at must be a valid date-time'],
    ['an e-mail address', z.object({ email: Email }), { email: 'nobody' }, 'Email must be a valid e-mail address'],
    ['an item', z.object({ ids: z.array(z.uuid()) }), { ids: ['x'] }, 'Ids must be a valid UUID'],
    ['no body', Name, undefined, 'Body must be a JSON object'],
    ['a null body', Name, null, 'Body must be a JSON object'],
    ['an array body', Name, [], 'Body must be a JSON object'],
  ] as const)('%s', ([, schema, input, expected]) => {
    expect(textsOf(schema, input)[0]).toBe(expected);
  });
});

test('every complaint is told, each with its path', () => {
  expect(complaints(NewAccessKey, { name: '', permissions: ['CAN_FLY'] })).toEqual([
    { path: 'name', message: 'Name is required' },
    { path: 'permissions.0', message: expect.stringMatching(/^Permissions must be one of: CAN_/) },
  ]);
  const Batch = z.object({ messages: z.array(z.object({ content: text({ min: 1, max: 9 }) })) });
  expect(complaints(Batch, { messages: [{ content: 'x' }, {}] })).toEqual([{ path: 'messages.1.content', message: 'Content is required' }]);
});

test('twenty complaints are told, and of a map no more are looked for', () => {
  const List = z.object({ ids: listOf(z.uuid(), { max: 100 }) });
  expect(complaints(List, { ids: Array(100).fill('x') })).toHaveLength(20);
  let looked = 0;
  const value = z.string().refine(() => {
    looked++;
    return false;
  }, 'is wrong');
  const Labels = z.object({ labels: mapOf(value, { noun: 'Label', max: 100, maxKeyLength: 9 }) });
  const labels = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [index, 'x']));
  expect(textsOf(Labels, { labels })).toEqual(['Label value is wrong']);
  expect(looked).toBe(20);
});

test('a rule that is a sentence of its own stands as it is', () => {
  const Upload = z.object({ file: z.unknown().refine(() => false, 'Only .txt and .md files are allowed') });
  expect(textsOf(Upload, { file: 1 })).toEqual(['Only .txt and .md files are allowed']);
});

test('what is valid comes out as the contract shapes it, unknown keys gone', () => {
  expect(validate(z.object({ name: text({ max: 9, trim: true }) }), { name: ' x ', other: 1 })).toEqual({ name: 'x' });
});

describe('lengths are counted in code points', () => {
  const Sixty = text({ min: 3, max: 60 });
  test.for([
    ['😀'.repeat(60), true],
    ['😀'.repeat(61), false],
    ['😀'.repeat(3), true],
    ['😀'.repeat(2), false],
    ['e\u0301'.repeat(30), true],
    ['e\u0301'.repeat(31), false],
  ] as const)('%s', ([value, isValid]) => {
    expect(Sixty.safeParse(value).success).toBe(isValid);
  });
});

test.for(['\0', 'a\0b', '\ud800', 'a\udc00', '\udc00\ud800'])('%j is no text', (value) => {
  expect(textsOf(z.object({ name: text({ max: 9 }) }), { name: value })).toEqual([
    'Name must not contain NUL or unpaired surrogate characters',
  ]);
});

test('an e-mail address is text too', () => {
  expect(Email.safeParse('a\0@example.com').success).toBe(false);
  expect(Email.safeParse('\ud800@example.com').success).toBe(false);
  expect(Email.parse(' Ada@Example.COM ')).toBe('ada@example.com');
});
