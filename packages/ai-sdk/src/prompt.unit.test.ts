import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { ContextMessage } from '@commonplace/client';
import { expect, test } from 'vitest';
import { addToPrompt, compareWithContext, readPrompt } from './prompt.ts';

const user = (text: string): LanguageModelV4Message => ({ role: 'user', content: [{ type: 'text', text }] });
const assistant = (text: string): LanguageModelV4Message => ({ role: 'assistant', content: [{ type: 'text', text }] });
const system = (content: string): LanguageModelV4Message => ({ role: 'system', content });
const result: LanguageModelV4Message = {
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: 'c', toolName: 't', output: { type: 'text', value: 'x' } }],
};
const said = (...texts: string[]): ContextMessage[] =>
  texts.map((text) => ({ role: text.startsWith('A') ? 'assistant' : 'user', content: text }));

function added(prompt: LanguageModelV4Message[], context: ContextMessage[]) {
  const read = readPrompt(prompt);
  const { addition, unwritten } = compareWithContext(read, context);
  return { prompt: addToPrompt(read, addition), unwritten };
}

test('what is new are the user’s messages at the end', () => {
  const texts = (prompt: LanguageModelV4Message[]) => readPrompt(prompt).fresh;
  expect(texts([system('s'), user('q')])).toEqual([user('q')]);
  expect(texts([user('a'), assistant('A'), user('b'), user('c')])).toEqual([user('b'), user('c')]);
  expect(texts([user('a'), assistant('A'), result])).toEqual([]);
  expect(texts([system('s')])).toEqual([]);
  expect(texts([])).toEqual([]);
});

test('of a text that was said more than once, only as many are left out as the caller passes', () => {
  const { prompt } = added([user('yes'), assistant('A2'), user('no')], said('yes', 'A1', 'yes', 'A2'));
  expect(prompt).toEqual([user('yes'), assistant('A1'), user('yes'), assistant('A2'), user('no')]);
});

test('what is new is found in the session only at its end', () => {
  expect(added([user('yes')], said('yes', 'A1'))).toEqual({
    prompt: [user('yes'), assistant('A1'), user('yes')],
    unwritten: [user('yes')],
  });
  expect(added([user('a'), user('b')], said('x', 'A1', 'a'))).toEqual({
    prompt: [user('x'), assistant('A1'), user('a'), user('b')],
    unwritten: [user('b')],
  });
  expect(added([user('a'), user('b')], said('a', 'b')).unwritten).toEqual([]);
});

test('system messages of the session come at the beginning, in one with the caller’s', () => {
  const context: ContextMessage[] = [{ role: 'system', content: 'Known.' }, ...said('a'), { role: 'system', content: 'Noted later.' }];
  expect(added([system('Be brief.'), user('q')], context).prompt).toEqual([
    system('Be brief.\n\nKnown.\n\nNoted later.'),
    user('a'),
    user('q'),
  ]);
  expect(added([user('q')], context).prompt[0]).toEqual(system('Known.\n\nNoted later.'));
});

test('instructions with options of a provider stay as they are', () => {
  const cached: LanguageModelV4Message = {
    role: 'system',
    content: 'Long.',
    providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
  };
  expect(added([cached, user('q')], [{ role: 'system', content: 'Known.' }]).prompt).toEqual([cached, system('Known.'), user('q')]);
});
