import type { NewMessages, SessionHandle } from '@commonplace/client';
import { expect, test } from 'vitest';
import type { MastraMessage } from './mastra.ts';
import { remember } from './remember.ts';

const user = (...parts: MastraMessage['content']['parts']): MastraMessage => ({
  id: '1',
  role: 'user',
  createdAt: new Date(),
  content: { format: 2, parts },
});
const messageList = { add: () => undefined, addSystem: () => undefined };

/** What is written of a run that ends so. */
async function written(message: MastraMessage, result: { text: string; finishReason: string; steps: { text: string }[] }) {
  const batches: NewMessages[] = [];
  const session = {
    context: async () => ({ messages: [] }),
    messages: { createBatch: async (batch: NewMessages) => batches.push(batch) },
  } as unknown as SessionHandle;
  const { processInput, processOutputResult } = remember({ session });
  const state = {};
  await processInput({ messageList, messages: [message], state });
  for (const _ of [1, 2]) await processOutputResult({ messageList, messages: [message], state, result });
  return batches.flatMap(({ messages }) => messages.map(({ role, content }) => `${role}: ${content}`));
}

const hello = user({ type: 'text', text: 'Hello' });

test('the text of each step is written, once', async () => {
  const steps = [{ text: 'Let me look.' }, { text: '' }, { text: 'It rains.' }];
  expect(await written(hello, { text: 'Let me look.It rains.', finishReason: 'stop', steps })).toEqual([
    'user: Hello',
    'assistant: Let me look.',
    'assistant: It rains.',
  ]);
});

test('of a run that was aborted, what was shown until then is written, if anything was', async () => {
  expect(await written(hello, { text: 'Let me look.It ra', finishReason: 'aborted', steps: [{ text: 'Let me look.' }] })).toEqual([
    'user: Hello',
    'assistant: Let me look.',
    'assistant: It ra',
  ]);
  expect(await written(hello, { text: '', finishReason: 'aborted', steps: [] })).toEqual([]);
  expect(await written(hello, { text: 'It', finishReason: 'error', steps: [{ text: 'It' }] })).toEqual([]);
});

test('a file is written by its type and name', async () => {
  const photo = user(
    { type: 'text', text: 'See:\0' },
    { type: 'file', mimeType: 'image/png', filename: 'kitchen.png' },
    { type: 'step-start' },
  );
  expect(await written(photo, { text: 'An oven.', finishReason: 'stop', steps: [] })).toEqual([
    'user: See:\n[image/png: kitchen.png]',
    'assistant: An oven.',
  ]);
});
