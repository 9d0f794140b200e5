/** All that was extracted of a session, rebuilt from its messages: readers see the old until the new is whole. */
import type { JobHandler } from '../../jobs/job-runner.ts';
import { enqueue, messageOf } from '../../jobs/queue.ts';
import type { SessionPlace } from '../../sessions/store.ts';
import { dequeueMessages, extractionJob, giveUpMessages, queuedIds } from '../store/extraction-queue.ts';
import { findRegenerationRequest, finishRegeneration } from '../store/extraction-state.ts';
import { userMessages } from '../store/messages.ts';
import { replaceExtracted } from '../store/replacing.ts';
import { loadSessionMemories, lockSession, SessionChanged, sessionMark } from '../store/session-memories.ts';
import type { Consolidation } from './consolidation.ts';
import type { SourceMessage } from './extractor.ts';
import { type ExtractionOptions, knownOf, newConsolidation } from './pipeline.ts';
import { summarize } from './summarizing.ts';

const MESSAGES_AT_ONCE = 200;

const MOST_ATTEMPTS = 6;

const MOST_ROUNDS = 3;

interface Failure {
  readonly messageId: string;
  readonly reason: string;
}

export function regenerationHandler(options: ExtractionOptions): JobHandler {
  return {
    maxAttempts: MOST_ATTEMPTS,
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
        if (attempts + 1 >= MOST_ATTEMPTS) await options.db.run(finishRegeneration(place, requestedAt, 0, reason));
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
  if (!mark) return;
  const queued = await queuedIds(db, place);
  const written = (await loadSessionMemories(db, place)).filter(({ source }) => source === 'written');
  const consolidation = newConsolidation(options, written);
  const { done, failures } = await extractAll(options, place, consolidation, signal);
  await summarize(options, place, consolidation);
  const nowMs = clock.nowMs();
  await db.transaction(async (tx) => {
    await lockSession(tx, place, mark);
    await replaceExtracted(tx, place, consolidation, nowMs);
    for (const statement of dequeueMessages(place, queued)) await tx.run(statement);
    if (failures.length > 0) await tx.run(giveUpMessages(place, failures, nowMs));
    await tx.run(finishRegeneration(place, requestedAt, done, null));
  });
}

async function extractAll(options: ExtractionOptions, place: SessionPlace, consolidation: Consolidation, signal: AbortSignal) {
  const failures: Failure[] = [];
  let done = 0;
  const take = async (messages: readonly SourceMessage[]) => {
    const newestFirst = consolidation.all().toSorted((a, b) => (a.id < b.id ? 1 : -1));
    const { extraction, extractor } = await options.choice.extract(place.workspaceId, messages, knownOf(newestFirst, messages), signal);
    consolidation.take(messages, extraction, extractor);
    done += messages.length;
  };
  for (let after: string | undefined; ; ) {
    signal.throwIfAborted();
    const messages: SourceMessage[] = await userMessages(options.db, place, after, MESSAGES_AT_ONCE);
    if (messages.length === 0) return { done, failures };
    after = messages.at(-1)?.id;
    try {
      await take(messages);
    } catch (error) {
      if (signal.aborted) throw error;
      for (const message of messages) {
        await take([message]).catch((reason) => {
          if (signal.aborted) throw reason;
          failures.push({ messageId: message.id, reason: reason instanceof Error ? reason.message : String(reason) });
        });
      }
    }
  }
}
