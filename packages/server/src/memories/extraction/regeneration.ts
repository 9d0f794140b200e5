/** All that was extracted of a session, made anew from its messages: readers see the old until all of them are read. */
import type { Transaction } from '../../db/database.ts';
import type { JobHandler } from '../../jobs/job-handler.ts';
import { enqueue, messageOf } from '../../jobs/queue.ts';
import type { SessionPlace } from '../../sessions/store.ts';
import { loadSomeOfSession } from '../store/assertions.ts';
import { dequeueMessages, extractionJob, giveUpMessages, queuedIds } from '../store/extraction-queue.ts';
import { findRegenerationRequest, finishRegeneration, giveUpRegeneration, REGENERATION_ATTEMPTS } from '../store/extraction-state.ts';
import { userMessages } from '../store/messages.ts';
import { findSessionPerson, lockPeople, recordPerson } from '../store/people.ts';
import { CHANGED_AT_ONCE, changeAssertions } from '../store/person-memories.ts';
import { replaceExtracted } from '../store/replacing.ts';
import { loadSessionMemories, lockSession, SessionChanged, type SessionMark, sessionMark } from '../store/session-memories.ts';
import type { Assertion } from '../topics.ts';
import type { SourceMessage } from './extractor.ts';
import { PersonRegeneration } from './person-regeneration.ts';
import { type ExtractionOptions, extractWith, knownOf, newConsolidation } from './session-extraction.ts';
import { summarize } from './summarizing.ts';

const MESSAGES_AT_ONCE = 200;

const MOST_ROUNDS = 3;

interface Failure {
  readonly messageId: string;
  readonly reason: string;
  readonly attempts: number;
}

export function regenerationHandler(options: ExtractionOptions): JobHandler {
  return {
    maxAttempts: REGENERATION_ATTEMPTS,
    leaseMs: 60_000,
    concurrency: 2,
    run: async ({ workspaceId, payload, attempts }, signal) => {
      if (workspaceId === null) return;
      const place = { workspaceId, ...(payload as { agentId: string; sessionId: string }) };
      const requestedAt = await findRegenerationRequest(options.db, place);
      if (requestedAt === undefined) return;
      try {
        await regenerate(options, place, requestedAt, signal);
      } catch (error) {
        if (signal.aborted) throw error;
        const reason = messageOf(error);
        // Extraction goes on with what is there, and the status says why.
        if (attempts + 1 >= REGENERATION_ATTEMPTS)
          await giveUpRegeneration(options.db, place, { requestedAt, reason }, options.clock.nowMs());
        throw error;
      }
      // What came meanwhile was left alone.
      await options.db.run(enqueue(extractionJob(workspaceId), options.clock.nowMs()));
    },
  };
}

async function regenerate(options: ExtractionOptions, place: SessionPlace, requestedAt: string, signal: AbortSignal): Promise<void> {
  for (let round = 1; ; round++) {
    try {
      return await regenerateOnce(options, place, requestedAt, signal);
    } catch (error) {
      if (!(error instanceof SessionChanged) || round >= MOST_ROUNDS) throw error;
    }
  }
}

async function regenerateOnce(options: ExtractionOptions, place: SessionPlace, requestedAt: string, signal: AbortSignal): Promise<void> {
  const { db, clock } = options;
  const mark = await sessionMark(db, place);
  const owner = await findSessionPerson(db, place);
  if (!mark || !owner) return;
  const queued = await queuedIds(db, place);
  const regeneration =
    owner.personId === null ? await regenerateForSession(options, place) : await PersonRegeneration.open(options, place, owner.personId);
  const { done, failures } = await extractAll(options, place, (messages) => regeneration.take(messages, signal), signal);
  const nowMs = clock.nowMs();
  const finish = async (tx: Transaction) => {
    for (const statement of dequeueMessages(place, queued)) await tx.run(statement);
    if (failures.length > 0) await tx.run(giveUpMessages(place, failures, nowMs));
    await tx.run(finishRegeneration(place, requestedAt, done));
  };
  await regeneration.write(mark, nowMs, finish, signal);
}

/** Goes with the last transaction: until then it is done again, from the start. */
export type FinishRegeneration = (tx: Transaction) => Promise<void>;

/** What a session says, read page by page, whoever its memories are of. */
export interface Regeneration {
  take(messages: readonly SourceMessage[], signal: AbortSignal): Promise<void>;
  /** Once all messages are read. Of a session that says very much, some at a time. */
  write(mark: SessionMark, nowMs: number, finish: FinishRegeneration, signal: AbortSignal): Promise<void>;
}

async function regenerateForSession(options: ExtractionOptions, place: SessionPlace): Promise<Regeneration> {
  const written = (await loadSessionMemories(options.db, place)).filter(({ source }) => source === 'written');
  const consolidation = newConsolidation(options, written);
  return {
    take: async (messages, signal) => {
      const newestFirst = consolidation.all().toSorted((a, b) => (a.id < b.id ? 1 : -1));
      const known = async (limit: number) => knownOf(newestFirst, messages, limit);
      const { extraction, extractor } = await extractWith(options, place, messages, known, signal);
      consolidation.take(messages, extraction, extractor);
    },
    write: async (mark, nowMs, finish, signal) => {
      await summarize(options, place, consolidation);
      for (let current: SessionMark | undefined = mark; current; ) {
        signal.throwIfAborted();
        current = await leavePeople(options, place, current, nowMs, async (tx) => {
          await replaceExtracted(tx, place, consolidation, nowMs);
          await finish(tx);
        });
      }
    },
  };
}

/** The memories of a session are its own from now on. Gives how the session stands where more has to go first. */
async function leavePeople(
  { db }: ExtractionOptions,
  place: SessionPlace,
  mark: SessionMark,
  nowMs: number,
  finish: FinishRegeneration,
): Promise<SessionMark | undefined> {
  const { workspaceId } = place;
  return db.transaction(async (tx) => {
    const peopleOf = (assertions: readonly Assertion[]) => new Set(assertions.map(({ personId }) => personId));
    const people = peopleOf(await loadSomeOfSession(tx, place, CHANGED_AT_ONCE));
    await lockPeople(tx, workspaceId, people);
    await lockSession(tx, place, mark);
    const removed = await loadSomeOfSession(tx, place, CHANGED_AT_ONCE);
    if (!peopleOf(removed).isSubsetOf(people)) throw new SessionChanged('The session became another person’s meanwhile');
    await changeAssertions(tx, workspaceId, { removed }, nowMs);
    if (removed.length === CHANGED_AT_ONCE) return sessionMark(tx, place);
    await tx.run(recordPerson(place, null, nowMs));
    await finish(tx);
    return undefined;
  });
}

async function extractAll(
  options: ExtractionOptions,
  place: SessionPlace,
  take: (messages: readonly SourceMessage[]) => Promise<void>,
  signal: AbortSignal,
) {
  const failures: Failure[] = [];
  let done = 0;
  for (let after: string | undefined; ; ) {
    signal.throwIfAborted();
    const messages: SourceMessage[] = await userMessages(options.db, place, after, MESSAGES_AT_ONCE);
    if (messages.length === 0) return { done, failures };
    after = messages.at(-1)?.id;
    try {
      await take(messages);
      done += messages.length;
    } catch (error) {
      if (signal.aborted) throw error;
      for (const message of messages) {
        try {
          await take([message]);
          done++;
        } catch (reason) {
          if (signal.aborted) throw reason;
          failures.push({ messageId: message.id, reason: reason instanceof Error ? reason.message : String(reason), attempts: 1 });
        }
      }
    }
  }
}
