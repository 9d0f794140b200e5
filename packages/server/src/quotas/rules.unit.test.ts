import { expect, test } from 'vitest';
import { limitsFrom, NO_LIMIT, noCounts, QuotaExceeded, quotaPassed, textBytes } from './rules.ts';

const defaults = { messages: 10, documents: undefined, bytes: 100, requestsPerMinute: undefined };

test('a limit of its own comes before the default, also where it is none', () => {
  const own = { messages: 20, documents: 5, bytes: NO_LIMIT, requestsPerMinute: null };
  expect(limitsFrom(defaults, own)).toEqual({ messages: 20, documents: 5, bytes: undefined, requestsPerMinute: undefined });
  expect(limitsFrom(defaults, undefined)).toEqual(defaults);
  expect(limitsFrom(defaults, { ...own, messages: 0 }).messages).toBe(0);
});

test('what takes nothing more is never refused, whatever there is', () => {
  const full = { messages: 50, documents: 0, bytes: 100 };
  expect(quotaPassed(defaults, full, { messages: 0, bytes: -5 })).toBeUndefined();
  expect(quotaPassed(defaults, full, { bytes: 1 })).toBe('bytes');
  expect(quotaPassed(defaults, noCounts, { messages: 10, bytes: 100, documents: 1_000 })).toBeUndefined();
  expect(quotaPassed(defaults, noCounts, { messages: 11 })).toBe('messages');
});

test('a refusal says the limit, what is used and what was asked for', () => {
  expect(new QuotaExceeded('messages', 100_000, 99_950, 100).message).toBe(
    'The workspace has reached its limit of 100,000 messages (99,950 used, 100 asked for). Delete some, or ask the operator for more.',
  );
});

test('fields take what they are stored as', () => {
  expect(textBytes({ content: 'ü', meta: { a: 1 }, flag: true, nothing: null })).toBe(2 + 7);
  expect(textBytes({ messages: [{ content: 'ab' }, { content: 'c', meta: {} }] })).toBe(2 + 1 + 2);
  expect(textBytes([undefined, 'x', ['yz']])).toBe(3);
});
