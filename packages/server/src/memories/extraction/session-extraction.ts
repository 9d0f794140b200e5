/** Messages of a session whose memories are its own, and summaries of sessions. */
import type { Logger } from 'pino';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/database.ts';
import { newIdAt } from '../../db/ids.ts';
import type { Job } from '../../jobs/queue.ts';
import type { NewMessages } from '../../search/new-messages.ts';
import type { SessionPlace } from '../../sessions/store.ts';
import { dequeueMessages, type QueuedMessage } from '../store/extraction-queue.ts';
import { findSummarizedCount, markForRegeneration, recordExtracted, recordSummary } from '../store/extraction-state.ts';
import {
  loadSessionMemories,
  lockSession,
  SessionChanged,
  type SessionMark,
  sessionMark,
  writeConsolidation,
} from '../store/session-memories.ts';
import { BUILTIN_NAME } from './builtin/builtin.ts';
import type { ExtractorSelector } from './choose-extractor.ts';
import { Consolidation, isCurrent, type SessionMemory } from './consolidation.ts';
import type { KnownMemory, SourceMessage } from './extractor.ts';
import { summarize } from './summarizing.ts';

export const KNOWN_SHOWN = 100;
/** Fewer messages need no summing up. */
const LEAST_SUMMED_UP = 4;
/** A summary is made again when the session has grown by this share. */
const GROWTH = 1.2;

export interface ExtractionOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly choice: ExtractorSelector;
  readonly newMessages: NewMessages;
  readonly shortLivedMs: number;
}

export async function extractForSession(
  options: ExtractionOptions,
  place: SessionPlace,
  messages: readonly QueuedMessage[],
  signal: AbortSignal,
): Promise<void> {
  const { db, clock, choice } = options;
  const mark = await sessionMark(db, place);
  if (!mark) return;
  const held = await loadSessionMemories(db, place);
  const consolidation = newConsolidation(options, held);
  const { extraction, extractor } = await choice.extract(place.workspaceId, messages, knownOf(held, messages), signal);
  consolidation.take(messages, extraction, extractor);
  // A language model is not asked to read everything again.
  if (consolidation.isOutOfOrder && extractor === BUILTIN_NAME) {
    await db.batch(markForRegeneration(place, clock.nowMs()));
    return;
  }
  const isSummaryDue = (await hasOutgrownSummary(options, place, mark)) || consolidation.isSummaryOutdated;
  if (isSummaryDue) await summarize(options, place, consolidation);
  const nowMs = clock.nowMs();
  const records = [recordExtracted(place, messages.length, nowMs), ...(isSummaryDue ? [recordSummary(place, mark.messageCount)] : [])];
  await db.transaction(async (tx) => {
    // Most messages say nothing to remember, and need nobody to wait.
    if (!consolidation.isUnchanged) await lockSession(tx, place, mark);
    let left = messages.length;
    for (const statement of dequeueMessages(place, messages)) left -= await tx.run(statement);
    if (left > 0) throw new SessionChanged('Another process looked at the messages, or they were edited');
    if (!consolidation.isUnchanged) await writeConsolidation(tx, place, consolidation, nowMs);
    for (const statement of records) await tx.run(statement);
  });
}

/** Whether the session has grown so much that it is to be summed up again. */
export async function hasOutgrownSummary({ db }: ExtractionOptions, place: SessionPlace, { messageCount }: SessionMark): Promise<boolean> {
  return messageCount >= LEAST_SUMMED_UP && messageCount >= GROWTH * (await findSummarizedCount(db, place));
}

export function newConsolidation({ shortLivedMs }: ExtractionOptions, held: readonly SessionMemory[]): Consolidation {
  return new Consolidation(held, { newId: (createdAt) => newIdAt(Date.parse(createdAt)), shortLivedMs });
}

/** What held when the messages were written, newest first. */
export function knownOf(held: readonly SessionMemory[], messages: readonly SourceMessage[]): KnownMemory[] {
  const at = messages[0]?.createdAt ?? '';
  return held
    .filter((memory) => memory.kind !== 'summary' && isCurrent(memory, at))
    .slice(0, KNOWN_SHOWN)
    .map(({ id, kind, content, slot }) => ({ id, kind, content, slot }));
}

export async function summarizeAnew(options: ExtractionOptions, { workspaceId, payload }: Job): Promise<void> {
  const { sessionId } = payload as { sessionId: string };
  if (workspaceId === null) return;
  const { db, clock } = options;
  const mark = await sessionMark(db, { workspaceId, sessionId });
  if (!mark) return;
  const place = { workspaceId, agentId: mark.agentId, sessionId };
  const consolidation = newConsolidation(options, await loadSessionMemories(db, place));
  await summarize(options, place, consolidation);
  await db.transaction(async (tx) => {
    await lockSession(tx, place, mark);
    await writeConsolidation(tx, place, consolidation, clock.nowMs());
    await tx.run(recordSummary(place, mark.messageCount));
  });
}
