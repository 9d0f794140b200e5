/** All that was extracted of a session, rebuilt from its messages: readers see the old until the new is whole. */
import { timestamp } from '../../clock.ts';
import type { Transaction } from '../../db/database.ts';
import { list, rows, sql } from '../../db/sql.ts';
import type { JobHandler } from '../../jobs/job-runner.ts';
import { enqueue } from '../../jobs/queue.ts';
import { type SessionPlace, updateSessionCounts } from '../../sessions/store.ts';
import { deleteMemoryTraces, insertSources } from '../statements.ts';
import { extractionJob } from '../store.ts';
import type { Consolidation, SessionMemory } from './consolidation.ts';
import type { SourceMessage } from './extractor.ts';
import { userMessages } from './messages.ts';
import { type ExtractionOptions, knownOf, newConsolidation, summarize } from './pipeline.ts';
import { dequeueMessages, findRegenerationRequest, finishRegeneration, queuedIds } from './queue.ts';
import {
  insertSessionMemories,
  insertWithdrawals,
  loadSessionMemories,
  lockSession,
  metaOf,
  SessionChanged,
  sessionMark,
  updateSessionMemory,
} from './session-memories.ts';

const MESSAGES_AT_ONCE = 200;
const MOST_ATTEMPTS = 6;
const MOST_ROUNDS = 3;
const DELETED_AT_ONCE = 200;

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
        const reason = error instanceof Error ? error.message : String(error);
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
    await noteFailures(tx, place, failures, nowMs);
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

/** A memory that comes out the same keeps its id, its time of change and its history. */
async function replaceExtracted(tx: Transaction, place: SessionPlace, consolidation: Consolidation, nowMs: number): Promise<void> {
  const before = (await loadSessionMemories(tx, place, Number.MAX_SAFE_INTEGER)).filter(({ source }) => source === 'extracted');
  const kept = matched(
    before,
    [...consolidation.created].map((id) => consolidation.get(id)),
  );
  const idOf = (id: string) => kept.get(id)?.id ?? id;
  const after = [...consolidation.created].map((id) => {
    const memory = consolidation.get(id);
    const { supersededBy, history } = memory;
    return {
      ...memory,
      id: idOf(id),
      supersededBy: supersededBy === null ? null : idOf(supersededBy),
      history: history.map((former) => ({ ...former, id: idOf(former.id) })),
    };
  });
  const keptIds = new Set([...kept.values()].map(({ id }) => id));
  const gone = before.filter(({ id }) => !keptIds.has(id)).map(({ id }) => id);
  const { workspaceId, sessionId } = place;
  for (let start = 0; start < gone.length; start += DELETED_AT_ONCE) {
    const some = gone.slice(start, start + DELETED_AT_ONCE);
    await tx.run(sql`delete from memories where workspace_id = ${workspaceId} and session_id = ${sessionId} and id in ${list(some)}`);
    await tx.batch(deleteMemoryTraces(place, some));
  }
  const fresh = after.filter(({ id }) => !keptIds.has(id));
  await insertSessionMemories(tx, place, fresh, nowMs);
  const byId = new Map(before.map((memory) => [memory.id, memory]));
  const changed = [
    ...after.filter((memory) => keptIds.has(memory.id) && isOther(memory, byId.get(memory.id) as SessionMemory)),
    ...[...consolidation.changed].map((id) => withIds(consolidation.get(id), idOf)),
  ];
  for (const memory of changed) await tx.run(updateSessionMemory(place, memory, nowMs));
  const causes = consolidation.causes.map(({ memoryId, causeId, messageIds }) => ({
    memoryId: idOf(memoryId),
    causeId: idOf(causeId),
    messageIds,
  }));
  await tx.run(sql`delete from memory_sources where workspace_id = ${workspaceId} and session_id = ${sessionId}`);
  for (const statement of insertSources(place, causes)) await tx.run(statement);
  await tx.run(sql`delete from memory_events where workspace_id = ${workspaceId} and session_id = ${sessionId} and event = 'withdrawn'`);
  const withdrawn = consolidation.withdrawn.map((one) => ({ ...one, memoryId: idOf(one.memoryId) }));
  for (const statement of insertWithdrawals(place, withdrawn)) await tx.run(statement);
  if (fresh.length + gone.length + changed.length > 0)
    await tx.run(updateSessionCounts(place, { memories: fresh.length - gone.length, memoryEdits: 1 }));
}

/** By what it says and when: the id of the new one, and the old one. */
function matched(before: readonly SessionMemory[], created: readonly SessionMemory[]): Map<string, SessionMemory> {
  const keyOf = ({ kind, content, createdAt }: SessionMemory) => JSON.stringify([kind, content, createdAt]);
  const old = Map.groupBy(before, keyOf);
  const kept = new Map<string, SessionMemory>();
  for (const memory of created) {
    const same = old.get(keyOf(memory))?.shift();
    if (same) kept.set(memory.id, same);
  }
  return kept;
}

function isOther(memory: SessionMemory, before: SessionMemory): boolean {
  const facts = (held: SessionMemory) => JSON.stringify([held.supersededAt, held.supersededBy, held.expiresAt, held.slot, metaOf(held)]);
  return facts(memory) !== facts(before);
}

function withIds(memory: SessionMemory, idOf: (id: string) => string): SessionMemory {
  return { ...memory, supersededBy: memory.supersededBy === null ? null : idOf(memory.supersededBy) };
}

async function noteFailures(
  tx: Transaction,
  { workspaceId, sessionId }: SessionPlace,
  failures: readonly Failure[],
  nowMs: number,
): Promise<void> {
  if (failures.length === 0) return;
  const now = timestamp(nowMs);
  await tx.run(sql`
    insert into extraction_queue (workspace_id, session_id, message_id, created_at, failed_at, error)
    values ${rows(failures.map(({ messageId, reason }) => [workspaceId, sessionId, messageId, now, now, reason]))}
    on conflict (workspace_id, session_id, message_id) do update set failed_at = excluded.failed_at, error = excluded.error`);
}
