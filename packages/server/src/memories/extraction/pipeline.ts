/** Extraction in the background: messages in, memories out, a session at a time and nothing by halves. */
import { acrossWorkspaces } from '../../db/each-workspace.ts';
import { defaultBackoff, retryDelayMs } from '../../jobs/backoff.ts';
import { Busyness } from '../../jobs/busyness.ts';
import { every, type JobHandler } from '../../jobs/job-handler.ts';
import { enqueue, messageOf } from '../../jobs/queue.ts';
import type { SessionPlace } from '../../sessions/store.ts';
import {
  clearEmptyQueue,
  extractionJob,
  type QueuedMessage,
  type WaitingSession,
  waitingMessages,
  waitingSessions,
  workspacesToExtract,
} from '../store/extraction-queue.ts';
import {
  enqueueRegeneration,
  findStalledRegenerations,
  giveUpRegeneration,
  markForRegeneration,
  REGENERATIONS,
  recordMessageFailure,
  recordSessionFailure,
  recordStarted,
} from '../store/extraction-state.ts';
import { MOST_CHARACTERS_READ } from '../store/messages.ts';
import { findSessionPerson, hasExtracted, recordPerson } from '../store/people.ts';
import { SessionChanged } from '../store/session-memories.ts';
import type { SourceMessage } from './extractor.ts';
import { extractForPerson } from './person-extraction.ts';
import { type ExtractionOptions, extractForSession, summarizeAnew } from './session-extraction.ts';

/** A session is left alone until nothing came for this long, … */
const QUIET_MS = 500;
/** … though not for longer than this. */
const LONGEST_WAIT_MS = 5_000;
const SESSIONS_AT_ONCE = 8;
const SESSIONS_IN_A_TURN = 32;
const MESSAGES_AT_ONCE = 50;
/** Fewer messages where they are long, and fewer sessions in a turn: others wait for the same reader. */
const CHARACTERS_AT_ONCE = 4 * MOST_CHARACTERS_READ;
const CHARACTERS_IN_A_TURN = 200_000;
const MOST_ATTEMPTS = 6;
/** So often the session may be changed by others while it is worked on; then it is left for a while. */
const MOST_ROUNDS = 4;
const SWEEP_MS = 60_000;
/** While the process is busy, this many times as long as it worked it rests. */
const REST = 9;
const LONGEST_REST_MS = 15_000;

export function extractionHandlers(
  options: ExtractionOptions,
): Record<'extract-memories' | 'summarize-session' | 'sweep-extraction', JobHandler> {
  const { db, clock, log } = options;
  const turns = new Map<string, Turn>();
  const busyness = new Busyness();
  /** Until when each workspace rests, by the monotonic clock. A note of new messages may call it up before. */
  const rests = new Map<string, number>();
  return {
    'extract-memories': {
      maxAttempts: 10,
      leaseMs: 60_000,
      concurrency: 2,
      run: async ({ workspaceId }, signal) => {
        if (workspaceId === null) return;
        // Not by waiting here: others have their turn meanwhile.
        const goOn = (delayMs: number) => db.run(enqueue({ ...extractionJob(workspaceId), delayMs }, clock.nowMs()));
        const restMs = (rests.get(workspaceId) ?? 0) - clock.monotonicMs();
        if (restMs > 0) {
          await goOn(restMs);
          return;
        }
        rests.delete(workspaceId);
        const start = performance.now();
        const next = await extractSome(options, workspaceId, turns, signal);
        if (busyness.isBusy()) rests.set(workspaceId, clock.monotonicMs() + Math.min(LONGEST_REST_MS, REST * (performance.now() - start)));
        if (next !== undefined) await goOn(Math.max(next.delayMs, (rests.get(workspaceId) ?? 0) - clock.monotonicMs()));
      },
    },
    'summarize-session': {
      maxAttempts: 6,
      leaseMs: 60_000,
      concurrency: 2,
      run: async (job) => summarizeAnew(options, job),
    },
    // What a write noted is in the queue; that a job looks at it may have been lost with the process.
    'sweep-extraction': every(SWEEP_MS, async (_job, signal) => {
      await acrossWorkspaces(db, [REGENERATIONS], (workspaceId) => sweepRegenerations(options, workspaceId), log, signal);
      await options.outbox.distribute();
      for (const workspaceId of await workspacesToExtract(db)) await db.run(enqueue(extractionJob(workspaceId), clock.nowMs()));
    }),
  };
}

async function sweepRegenerations({ db, clock }: ExtractionOptions, workspaceId: string | undefined): Promise<void> {
  for (const { requestedAt, reason, ...place } of await findStalledRegenerations(db, workspaceId)) {
    const nowMs = clock.nowMs();
    if (reason === null) await db.run(enqueueRegeneration(place, nowMs));
    else await giveUpRegeneration(db, place, { requestedAt, reason }, nowMs);
  }
}

/** How far a round through the sessions of a workspace is. */
interface Turn {
  /** Its last turn ended with this session. */
  readonly after: string;
  /** When the first of those that failed is to be tried again. */
  readonly retryAtMs: number;
}

/** A turn of a workspace: some of its sessions. When the next one is due, if more wait. */
async function extractSome(
  options: ExtractionOptions,
  workspaceId: string,
  turns: Map<string, Turn>,
  signal: AbortSignal,
): Promise<{ delayMs: number } | undefined> {
  const { db, clock } = options;
  await options.outbox.distribute();
  const before = turns.get(workspaceId);
  const { sessions: waiting, last } = await waitingSessions(db, workspaceId, before?.after);
  const nowMs = clock.nowMs();
  const retryMs = ({ retryAt }: WaitingSession) => (retryAt === null ? 0 : Date.parse(retryAt));
  const sessions = waiting.filter((session) => retryMs(session) <= nowMs);
  const isDue = ({ newestAt, oldestAt }: WaitingSession) =>
    nowMs - Date.parse(newestAt) >= QUIET_MS || nowMs - Date.parse(oldestAt) >= LONGEST_WAIT_MS;
  const due = sessions.filter(isDue);
  let retryAtMs = Math.min(before?.retryAtMs ?? Number.POSITIVE_INFINITY, ...waiting.map(retryMs).filter((ms) => ms > nowMs));
  let isMore = false;
  let taken = 0;
  for (let characters = 0; taken < due.length && taken < SESSIONS_IN_A_TURN && characters < CHARACTERS_IN_A_TURN; ) {
    const some = due.slice(taken, taken + SESSIONS_AT_ONCE);
    await db.run(
      recordStarted(
        workspaceId,
        some.map(({ sessionId }) => sessionId),
        clock.nowMs(),
      ),
    );
    const done = await Promise.all(grouped(some).map((sessions) => extractInTurn(options, sessions, signal)));
    taken += some.length;
    for (const session of done.flat()) {
      isMore ||= session.isMore;
      characters += session.characters;
      retryAtMs = Math.min(retryAtMs, session.retryAtMs ?? retryAtMs);
    }
  }
  // The next turn begins after the last one that had its turn now, and at the first one again after all.
  const lastTaken = taken < due.length ? due[taken - 1]?.sessionId : last;
  isMore ||= lastTaken !== undefined || before !== undefined;
  if (lastTaken === undefined) turns.delete(workspaceId);
  else turns.set(workspaceId, { after: lastTaken, retryAtMs });
  if (isMore) return { delayMs: 0 };
  if (due.length < sessions.length) return { delayMs: QUIET_MS };
  // What is new does not wait for what failed: it is the same job.
  return retryAtMs === Number.POSITIVE_INFINITY ? undefined : { delayMs: Math.min(Math.max(0, retryAtMs - nowMs), LONGEST_WAIT_MS) };
}

/** Those of one person one after the other: each is read with what the others say. */
function grouped(sessions: readonly WaitingSession[]): WaitingSession[][] {
  return [...Map.groupBy(sessions, ({ sessionId, personId }) => personId ?? sessionId).values()];
}

async function extractInTurn(options: ExtractionOptions, sessions: readonly WaitingSession[], signal: AbortSignal): Promise<SessionTurn[]> {
  const done: SessionTurn[] = [];
  for (const session of sessions) done.push(await extractSession(options, session, signal));
  return done;
}

interface SessionTurn {
  readonly characters: number;
  /** Whether more of the session may be looked at now. */
  readonly isMore: boolean;
  readonly retryAtMs?: number;
}

/** What fails is noted with the session, and holds up no other. */
async function extractSession(options: ExtractionOptions, session: WaitingSession, signal: AbortSignal): Promise<SessionTurn> {
  // After a failure one at a time, so that the one that fails is known.
  const limit = session.attempts > 0 ? 1 : MESSAGES_AT_ONCE;
  let messages: readonly QueuedMessage[] = [];
  for (let round = 1; ; round++) {
    try {
      const waiting = await waitingMessages(options.db, session, limit);
      messages = waiting.slice(0, countWithin(waiting, CHARACTERS_AT_ONCE));
      if (messages.length > 0) await extractMessages(options, session, messages, signal);
      else await options.db.run(clearEmptyQueue(session));
      return { isMore: waiting.length === limit || messages.length < waiting.length, characters: charactersOf(messages) };
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof SessionChanged && round < MOST_ROUNDS) continue;
      return { ...(await noteFailure(options, session, messages[0], error)), characters: charactersOf(messages) };
    }
  }
}

/** How many of the first have together at most so many characters; one in any case. */
function countWithin(messages: readonly SourceMessage[], characters: number): number {
  let count = 0;
  for (let sum = 0; count < messages.length; count++) {
    sum += messages[count]?.content.length ?? 0;
    if (sum > characters) break;
  }
  return Math.max(1, count);
}

function charactersOf(messages: readonly SourceMessage[]): number {
  return messages.reduce((sum, { content }) => sum + content.length, 0);
}

async function noteFailure(
  { db, clock, log }: ExtractionOptions,
  session: WaitingSession,
  message: QueuedMessage | undefined,
  error: unknown,
): Promise<Omit<SessionTurn, 'characters'>> {
  const nowMs = clock.nowMs();
  const reason = messageOf(error);
  log.warn({ err: error, sessionId: session.sessionId }, 'memories could not be extracted');
  const attempts = session.attempts + 1;
  if (message && attempts >= MOST_ATTEMPTS && !(error instanceof SessionChanged)) {
    await db.batch(recordMessageFailure(session, { messageId: message.id, reason, attempts }, nowMs));
    // The others of the session go on.
    return { isMore: true };
  }
  const retryAtMs = nowMs + retryDelayMs(attempts, defaultBackoff);
  await db.run(recordSessionFailure(session, reason, retryAtMs, nowMs));
  return { isMore: false, retryAtMs };
}

/** As its owner is now: a session whose memories are to be somebody else's is regenerated first. */
async function extractMessages(
  options: ExtractionOptions,
  place: SessionPlace,
  messages: readonly QueuedMessage[],
  signal: AbortSignal,
): Promise<void> {
  const { db, clock } = options;
  const owner = await findSessionPerson(db, place);
  if (!owner) return;
  const { personId, keptPersonId } = owner;
  if (personId !== keptPersonId && (await hasExtracted(db, place))) {
    await db.batch(markForRegeneration(place, clock.nowMs()));
    return;
  }
  if (personId !== null) {
    await extractForPerson(options, place, { personId, keptPersonId }, messages, signal);
    return;
  }
  if (keptPersonId !== null) await db.run(recordPerson(place, null, clock.nowMs()));
  return extractForSession(options, place, messages, signal);
}
