import { APIConnectionError, APIError } from '@commonplace/client';
import { expect, test } from 'vitest';
import { hasNoText, isAboutFile } from './hopeless.ts';

const refused = (status: number, path?: string) =>
  new APIError('Refused', { status, ...(path && { details: [{ path, message: 'Refused' }] }) });

test('a refusal of the file can’t be mended by the same file', () => {
  expect(isAboutFile(refused(400, 'file'))).toBe(true);
  expect(isAboutFile(refused(413))).toBe(true);
  expect(isAboutFile(refused(415))).toBe(true);
});

test('labels, a busy service and a lost line are worth another try', () => {
  expect(isAboutFile(refused(400, 'labels'))).toBe(false);
  expect(isAboutFile(refused(503))).toBe(false);
  expect(isAboutFile(new APIConnectionError('No answer'))).toBe(false);
  expect(isAboutFile(new TypeError('Failed to fetch'))).toBe(false);
});

test('a document of blanks has no text, and one whose process stopped may have', () => {
  expect(hasNoText({ status: 'failed', charCount: 0 })).toBe(true);
  expect(hasNoText({ status: 'failed', charCount: 2, error: 'The file is empty: there is no text to index' })).toBe(true);
  expect(hasNoText({ status: 'failed', charCount: 2, error: 'The process that ran the job stopped' })).toBe(false);
  expect(hasNoText({ status: 'processing', charCount: 0 })).toBe(false);
});
