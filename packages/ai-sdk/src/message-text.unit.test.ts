import { expect, test } from 'vitest';
import { answerMessage, queryOf, textOf, userMessage } from './message-text.ts';

const text = (value: string) => ({ type: 'text' as const, text: value });
const answer = { files: [], toolCalls: [], model: 'm', finishReason: 'stop' };

test('reasoning and tools are not what was said', () => {
  const call = { type: 'tool-call' as const, toolCallId: 'c', toolName: 't', input: {} };
  expect(textOf({ role: 'assistant', content: [{ type: 'reasoning', text: 'Hm.' }, text('It '), call, text('rains.')] })).toBe('It rains.');
  expect(answerMessage({ ...answer, text: ' ', toolCalls: ['t'] })).toBeUndefined();
});

test('an address of a file, which may be signed, is not kept', () => {
  const url = { type: 'url' as const, url: new URL('https://files.test/a?signature=secret') };
  const message = userMessage({ role: 'user', content: [text('See:'), { type: 'file', mediaType: 'image/png', data: url }] });
  expect(message).toEqual({ role: 'user', content: 'See:\n[image/png]', meta: { files: [{ mediaType: 'image/png' }] } });
});

test('a text is cut to what a session takes, between characters, and says so', () => {
  const long = userMessage({ role: 'user', content: [text('🙂'.repeat(300_000))] });
  expect(long).toEqual({ role: 'user', content: '🙂'.repeat(250_000), meta: { cut: true } });
  expect(userMessage({ role: 'user', content: [text('a'.repeat(1_000_000))] }).meta).toBeUndefined();
  expect(answerMessage({ ...answer, text: 'é'.repeat(600_000) })?.content).toHaveLength(500_000);
});

test('what no database keeps is left out', () => {
  expect(userMessage({ role: 'user', content: [text('a\0b\ud800')] }).content).toBe('ab\ufffd');
});

test('a query has words, and 10,000 characters at most', () => {
  expect(queryOf({ role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: { type: 'data', data: '' } }] })).toBeUndefined();
  expect(queryOf({ role: 'user', content: [text('🙂'.repeat(9_000))] })).toBe('🙂'.repeat(5_000));
});
