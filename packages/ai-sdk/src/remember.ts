/** Middleware that gives a model the context of a session, and writes to the session what was asked and answered. */
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4Message,
  LanguageModelV4Middleware,
} from '@ai-sdk/provider';
import type { ContextRequest, NewMessage, RequestOptions, SessionHandle } from '@commonplace/client';
import { withinTime } from '@commonplace/client/time-limit';
import { type Answer, answerMessage, namedFile, queryOf, textOf, userMessage } from './message-text.ts';
import { type Addition, addToPrompt, compareWithContext, type ReadPrompt, readPrompt } from './prompt.ts';
import { watchStream } from './watch-stream.ts';

const PARTS = ['prompt', 'summary', 'memories', 'knowledge', 'messages'] as const;
const TIMEOUT_MS = 10_000;

export interface RememberOptions extends Pick<ContextRequest, 'tokenBudget' | 'include' | 'variables' | 'version' | 'tokenizer'> {
  /** A session, or how to open one: then a service that is down is in nobody’s way. */
  session: SessionHandle | (() => PromiseLike<SessionHandle>);
  /**
   * Who brings the conversation. `session` (unless told): the caller passes what is new, and whatever it passes beyond that is not added again.
   * `prompt`: the caller passes all of it, as `useChat` does; the session adds what else it knows, and a message that is asked again is written once.
   */
  history?: 'session' | 'prompt';
  /** Fail the call when the session can’t be read or written. Unless told, the model is called without it. */
  strict?: boolean;
  /** Told what went wrong, where it fails no call. `console.warn` unless told. */
  onError?: (error: unknown, during: 'context' | 'writing') => void;
  /** The most that a context may take, and again the writing: 10,000 unless told. */
  timeoutMs?: number;
}

/** A call: what the session adds to it, and what has to be written once it is answered. */
interface Call {
  readonly params: LanguageModelV4CallOptions;
  readonly write: (answer: Answer) => Promise<void>;
}

export function remember(options: RememberOptions): LanguageModelV4Middleware {
  const { session, history = 'session', strict = false, onError = warn, timeoutMs = TIMEOUT_MS } = options;
  const openSession = typeof session === 'function' ? session : async () => session;
  const { tokenBudget, include, variables, version, tokenizer } = options;
  const parts = (include ?? PARTS).filter((part) => history === 'session' || part !== 'messages');
  const asked = { tokenBudget, variables, version, tokenizer, ...((include || history === 'prompt') && { include: parts }) };
  const request = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)) as ContextRequest;
  let opened: SessionHandle | undefined;
  /** The later steps of a loop have the context of its first one: what models keep of a prompt stays of use. */
  let latest: { readonly turn: string; readonly addition: Addition } | undefined;

  const openOnce = async (): Promise<SessionHandle> => {
    opened ??= await openSession();
    return opened;
  };

  async function unlessDown(during: 'context' | 'writing', work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // It may be gone: the next call opens it anew.
      opened = undefined;
      if (strict) throw error;
      onError(error, during);
    }
  }

  async function prepareCall(params: LanguageModelV4CallOptions): Promise<Call> {
    const prompt = readPrompt(params.prompt);
    const isLaterStep = prompt.fresh.length === 0 && latest?.turn === prompt.turn;
    let addition: Addition = isLaterStep && latest ? latest.addition : { system: '', history: [] };
    let unwritten: readonly LanguageModelV4Message[] = prompt.fresh;
    if (!isLaterStep && parts.length > 0) {
      await unlessDown('context', async () => {
        const query = prompt.question && queryOf(prompt.question);
        const read = async (limits: RequestOptions) => (await openOnce()).context({ ...request, ...(query && { query }) }, limits);
        const context = await withinTime(read, { timeoutMs, signal: params.abortSignal });
        // The call itself says that it was aborted.
        if (context) ({ addition, unwritten } = compareWithContext(prompt, context.messages));
      });
    }
    latest = { turn: prompt.turn, addition };
    return {
      params: { ...params, prompt: addToPrompt(prompt, addition) },
      write: (answer) => unlessDown('writing', () => write(prompt, unwritten, answer)),
    };
  }

  async function write(prompt: ReadPrompt, unwritten: readonly LanguageModelV4Message[], answer: Answer): Promise<void> {
    const answered = answerMessage(answer);
    const questions = unwritten.map(userMessage).filter(({ content }) => content.trim() !== '');
    await withinTime(
      async (limits) => {
        const { id, messages } = await openOnce();
        const send = async (list: NewMessage[], key?: string) => {
          if (list.length > 0) await messages.createBatch({ messages: list }, { ...limits, ...(key && { idempotencyKey: key }) });
        };
        if (history === 'session') return send([...questions, ...(answered ? [answered] : [])]);
        await send(questions, await conversationKey(id, prompt));
        await send(answered ? [answered] : []);
      },
      { timeoutMs },
    );
  }

  return {
    specificationVersion: 'v4',
    async wrapGenerate({ params, model }) {
      const call = await prepareCall(params);
      const result = await model.doGenerate(call.params);
      if (result.finishReason.unified !== 'error') await call.write(generatedAnswer(result, model.modelId));
      return result;
    },
    async wrapStream({ params, model }) {
      const call = await prepareCall(params);
      const result = await model.doStream(call.params);
      const stream = watchStream(result.stream, {
        signal: params.abortSignal,
        onAnswer: (answer) => call.write({ ...answer, model: model.modelId }),
        onLostError: (error) => onError(error, 'writing'),
      });
      return { ...result, stream };
    },
  };
}

function generatedAnswer({ content, finishReason }: LanguageModelV4GenerateResult, model: string): Answer {
  return {
    text: content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(''),
    files: content.flatMap((part) => (part.type === 'file' ? [namedFile(part)] : [])),
    toolCalls: content.flatMap((part) => (part.type === 'tool-call' ? [part.toolName] : [])),
    model,
    finishReason: finishReason.unified,
  };
}

/** The same message after the same conversation is the same write. */
async function conversationKey(sessionId: string, { earlier, fresh }: ReadPrompt): Promise<string> {
  const said = [...earlier, ...fresh].map((message) => [message.role, textOf(message)]);
  const bytes = new TextEncoder().encode(JSON.stringify([sessionId, said]));
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `ai-sdk-${Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

function warn(error: unknown, during: 'context' | 'writing'): void {
  const doing = during === 'context' ? 'No context from the session' : 'The session was not written';
  console.warn(`${doing}: ${error instanceof Error ? error.message : String(error)}`);
}
