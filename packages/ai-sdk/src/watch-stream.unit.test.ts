import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { type StreamedAnswer, watchStream } from './watch-stream.ts';

const delta = (text: string): LanguageModelV4StreamPart => ({ type: 'text-delta', id: '1', delta: text });

function watched(
  parts: LanguageModelV4StreamPart[],
  { signal, failing = false, closing = false }: { signal?: AbortSignal; failing?: boolean; closing?: boolean } = {},
) {
  const answers: StreamedAnswer[] = [];
  const lost: unknown[] = [];
  let cancelled: unknown;
  const source = new ReadableStream<LanguageModelV4StreamPart>({
    start: (controller) => {
      for (const part of parts) controller.enqueue(part);
      if (closing) controller.close();
    },
    cancel: (reason) => {
      cancelled = reason;
    },
  });
  const onAnswer = async (answer: StreamedAnswer) => {
    answers.push(answer);
    if (failing) throw new Error('down');
  };
  const stream = watchStream(source, { signal, onAnswer, onLostError: (error) => lost.push(error) });
  return { reader: stream.getReader(), answers, lost, cancelled: () => cancelled };
}

test('whoever stops reading has what was shown until then written, once', async () => {
  const { reader, answers, cancelled } = watched([delta('a'), delta('b'), delta('not shown')]);
  for (const _ of [1, 2]) await reader.read();
  await reader.cancel('enough');
  expect(cancelled()).toBe('enough');
  expect(answers).toEqual([{ text: 'ab', files: [], toolCalls: [], finishReason: 'aborted' }]);
});

test('a call that is aborted while nobody reads is written as well', async () => {
  const aborting = new AbortController();
  const { reader, answers, lost } = watched([delta('a'), delta('b')], { signal: aborting.signal, failing: true });
  await reader.read();
  aborting.abort();
  await reader.cancel();
  expect(answers.map(({ text }) => text)).toEqual(['a']);
  expect(lost.length).toBeGreaterThan(0);
});

test('nothing is written of a call that was aborted before anything was shown, nor after an error', async () => {
  const early = watched([{ type: 'stream-start', warnings: [] }]);
  await early.reader.read();
  await early.reader.cancel();
  const failed = watched([delta('a'), { type: 'error', error: 'no' }]);
  for (const _ of [1, 2]) await failed.reader.read();
  await failed.reader.cancel();
  expect([early.answers, failed.answers]).toEqual([[], []]);
});

test('an answer that could not be told fails the end of the stream, not its parts', async () => {
  const { reader, answers, lost } = watched([delta('a')], { failing: true, closing: true });
  expect((await reader.read()).value).toEqual(delta('a'));
  await expect(reader.read()).rejects.toThrow('down');
  expect([answers.length, lost]).toEqual([1, []]);
});
