/** A processor that gives a run of an agent the context of a session, and writes to the session what was asked and answered. */
import type { ContextRequest, NewMessage, SessionHandle } from '@commonplace/client';
import { withinTime } from '@commonplace/client/time-limit';
import { compareWithContext, type Said, splitNew } from './comparison.ts';
import { type ConversationPlace, type MastraMessage, type RememberProcessor, storable, textOf } from './mastra.ts';

const TIMEOUT_MS = 10_000;
const LONGEST_QUERY = 10_000;
const STATE = 'commonplace';

export interface RememberOptions extends Pick<ContextRequest, 'tokenBudget' | 'include' | 'variables' | 'version' | 'tokenizer'> {
  /** A session, or which one to open for a thread and its resource. */
  session: SessionHandle | ((place: ConversationPlace) => PromiseLike<SessionHandle>);
  /** Fail the run when the session can’t be read or written. Unless told, it goes on without. */
  strict?: boolean;
  /** Told what went wrong, where it fails no run. `console.warn` unless told. */
  onError?: (error: unknown, during: 'context' | 'writing') => void;
  /** The most that a context may take, and again the writing: 10,000 unless told. */
  timeoutMs?: number;
}

/** What the end of a run knows of its beginning. */
interface Run {
  readonly session?: SessionHandle;
  readonly unwritten: readonly Said[];
}

export function remember({
  session,
  strict = false,
  onError = warn,
  timeoutMs = TIMEOUT_MS,
  ...request
}: RememberOptions): RememberProcessor {
  const openSession = typeof session === 'function' ? session : async () => session;

  async function unlessDown(during: 'context' | 'writing', work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (strict) throw error;
      onError(error, during);
    }
  }

  return {
    id: STATE,
    async processInput({ messageList, messages, state, abortSignal, requestContext }) {
      const passed = saidIn(messages);
      state[STATE] = { unwritten: splitNew(passed).fresh } satisfies Run;
      await unlessDown('context', async () => {
        const query = passed
          .findLast(({ role }) => role === 'user')
          ?.text.slice(0, LONGEST_QUERY)
          .toWellFormed()
          .trim();
        const read = await withinTime(
          async (limits) => {
            const opened = await openSession(placeOf(messages, requestContext));
            return { opened, context: await opened.context({ ...request, ...(query && { query }) }, limits) };
          },
          { timeoutMs, signal: abortSignal },
        );
        if (!read) return;
        const { system, history, unwritten } = compareWithContext(passed, read.context.messages);
        if (system !== '') messageList.addSystem(system, STATE);
        if (history.length > 0) messageList.add(datedBefore(messages, history), 'memory');
        state[STATE] = { session: read.opened, unwritten } satisfies Run;
      });
      return messageList;
    },
    async processOutputResult({ messageList, messages, state, requestContext, result }) {
      const answers = answersOf(result);
      const run = state[STATE] as Run | undefined;
      // A run that fails is made again or given up; so is one that was aborted before it said anything.
      if (!run || result.finishReason === 'error' || (result.finishReason === 'aborted' && answers.length === 0)) return messageList;
      delete state[STATE];
      await unlessDown('writing', async () => {
        const list = [...run.unwritten.filter(({ text }) => text.trim() !== '').map(userMessage), ...answers];
        if (list.length === 0) return;
        await withinTime(
          async (limits) => {
            const { messages: written } = run.session ?? (await openSession(placeOf(messages, requestContext)));
            await written.createBatch({ messages: list }, limits);
          },
          { timeoutMs },
        );
      });
      return messageList;
    },
  };
}

function saidIn(messages: readonly MastraMessage[]): Said[] {
  return messages.flatMap((message) =>
    message.role === 'user' || message.role === 'assistant' ? [{ role: message.role, text: textOf(message) }] : [],
  );
}

function placeOf(messages: readonly MastraMessage[], requestContext: ConversationPlace['requestContext']): ConversationPlace {
  const { threadId, resourceId } = messages.findLast((message) => message.threadId !== undefined) ?? {};
  return { threadId, resourceId, requestContext };
}

/** Mastra puts messages into the order of time. */
function datedBefore(messages: readonly MastraMessage[], history: readonly { role: 'user' | 'assistant'; text: string }[]) {
  const first = Math.min(Date.now(), ...messages.map(({ createdAt }) => createdAt.getTime()));
  return history.map(({ role, text }, index) => ({
    id: crypto.randomUUID(),
    role,
    createdAt: new Date(first - (history.length - index)),
    content: { format: 2 as const, parts: [{ type: 'text' as const, text }] },
  }));
}

function userMessage({ text }: Said): NewMessage {
  return { role: 'user', content: text };
}

/** The text of each step that has one, and what an aborted step said until then. */
function answersOf({
  text,
  steps,
  finishReason,
}: {
  text: string;
  steps: readonly { text: string }[];
  finishReason: string;
}): NewMessage[] {
  const ended = steps.map((step) => step.text);
  const whole = ended.join('');
  const spoken = [...ended, text.startsWith(whole) ? text.slice(whole.length) : ''].map(storable).filter((each) => each.trim() !== '');
  return spoken.map((content, index) => ({
    role: 'assistant',
    content,
    ...(index === spoken.length - 1 && { meta: { finishReason } }),
  }));
}

function warn(error: unknown, during: 'context' | 'writing'): void {
  const doing = during === 'context' ? 'No context from the session' : 'The session was not written';
  console.warn(`${doing}: ${error instanceof Error ? error.message : String(error)}`);
}
