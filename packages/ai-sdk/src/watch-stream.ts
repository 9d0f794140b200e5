/** Passes a stream on as it is, and tells what was said in it: once, before its end is seen. */
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { type Answer, namedFile } from './message-text.ts';

export type StreamedAnswer = Omit<Answer, 'model'>;

interface Watching {
  /** Of the call. */
  readonly signal: AbortSignal | undefined;
  /** Not called for a stream that failed, nor for one that was aborted before it said anything. */
  readonly onAnswer: (answer: StreamedAnswer) => Promise<void>;
  /** Where an aborted stream leaves nobody to throw to. */
  readonly onLostError: (error: unknown) => void;
}

export function watchStream(
  source: ReadableStream<LanguageModelV4StreamPart>,
  { signal, onAnswer, onLostError }: Watching,
): ReadableStream<LanguageModelV4StreamPart> {
  const reader = source.getReader();
  const said = { text: '', files: [] as Answer['files'][number][], toolCalls: [] as string[], finishReason: 'other' };
  let hasFailed = false;
  let telling: Promise<void> | undefined;

  function note(part: LanguageModelV4StreamPart): void {
    if (part.type === 'text-delta') said.text += part.delta;
    else if (part.type === 'file') said.files.push(namedFile(part));
    else if (part.type === 'tool-call') said.toolCalls.push(part.toolName);
    else if (part.type === 'finish') said.finishReason = part.finishReason.unified;
    // A call that fails is made again or given up.
    if (part.type === 'error' || said.finishReason === 'error') hasFailed = true;
  }

  function tellOnce(finishReason: string): Promise<void> {
    signal?.removeEventListener('abort', tellAborted);
    telling ??= hasFailed || (finishReason === 'aborted' && said.text === '') ? Promise.resolve() : onAnswer({ ...said, finishReason });
    return telling;
  }

  /** What was shown until then stays said. */
  function tellAborted(): Promise<void> {
    return tellOnce('aborted').catch(onLostError);
  }
  signal?.addEventListener('abort', tellAborted, { once: true });

  async function readNext(): Promise<{ done: boolean; value?: LanguageModelV4StreamPart | undefined }> {
    try {
      return await reader.read();
    } catch (error) {
      if (signal?.aborted) await tellAborted();
      hasFailed = true;
      await tellOnce('error');
      throw error;
    }
  }

  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      async pull(controller) {
        const { value } = await readNext();
        if (value) {
          note(value);
          controller.enqueue(value);
          return;
        }
        await tellOnce(said.finishReason);
        controller.close();
      },
      async cancel(reason) {
        await Promise.all([reader.cancel(reason), tellAborted()]);
      },
    },
    { highWaterMark: 0 },
  );
}
