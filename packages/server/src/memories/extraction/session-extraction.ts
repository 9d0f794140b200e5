/** Messages of a session whose memories are its own, and summaries of sessions. */
import type { Logger } from 'pino';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/database.ts';
import { newIdAt } from '../../db/ids.ts';
import type { Job } from '../../jobs/queue.ts';
import type { Outbox } from '../../outbox/distribution.ts';
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
import type { ExtractionResult, KnownMemory, SourceMessage } from './extractor.ts';
import { summarize } from './summarizing.ts';

const KNOWN_SHOWN = 100;
const KNOWN_TO_FORGET = 5_000;
/** Fewer messages need no summing up. */
const LEAST_SUMMED_UP = 4;
/** A summary is made again when the session has grown by this share. */
const GROWTH = 1.2;

export interface ExtractionOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly choice: ExtractorSelector;
  readonly outbox: Outbox;
  readonly shortLivedMs: number;
}

export async function extractForSession(
  options: ExtractionOptions,
  place: SessionPlace,
  messages: readonly QueuedMessage[],
  signal: AbortSignal,
): Promise<void> {
  const { db, clock } = options;
  const mark = await sessionMark(db, place);
  if (!mark) return;
  const held = await loadSessionMemories(db, place);
  const consolidation = newConsolidation(options, held);
  const known = async (limit: number) => knownOf(held, messages, limit);
  const { extraction, extractor } = await extractWith(options, place, messages, known, signal);
  consolidation.take(messages, extraction, extractor);
  // A language model is not asked to read everything again.
  if (consolidation.isOutOfOrder && extractor === BUILTIN_NAME) {
    await db.batch(markForRegeneration(place, clock.nowMs()));
    return;
  }
  const isSummaryDue = (await hasOutgrownSummary(options, place, mark)) || consolidation.isSummaryOutdated || isForgetting(extraction);
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

/** What is to be forgotten must not stay in the summary, even if no memory was made of it. */
export function isForgetting({ forgetsIn = [], forgetsAll = [], withdrawn }: ExtractionResult): boolean {
  return forgetsIn.length + forgetsAll.length > 0 || withdrawn.some(({ forgotten }) => forgotten);
}

export function newConsolidation({ shortLivedMs }: ExtractionOptions, held: readonly SessionMemory[]): Consolidation {
  return new Consolidation(held, { newId: (createdAt) => newIdAt(Date.parse(createdAt)), shortLivedMs });
}

/**
 * Reads messages with what is known, of which `known` gives the newest. Who asks to forget something means it however long ago
 * it was said: then all is read again, with more.
 */
export async function extractWith<Known extends KnownMemory>(
  { choice }: ExtractionOptions,
  { workspaceId }: SessionPlace,
  messages: readonly SourceMessage[],
  known: (limit: number) => Promise<readonly Known[]>,
  signal: AbortSignal,
): Promise<{ extraction: ExtractionResult; extractor: string; shown: readonly Known[] }> {
  const shown = await known(KNOWN_SHOWN);
  const read = await choice.extract(workspaceId, messages, shown, signal);
  if (shown.length < KNOWN_SHOWN || !read.extraction.forgetsIn?.length) return { ...read, shown };
  const more = await known(KNOWN_TO_FORGET);
  return { ...(await choice.extract(workspaceId, messages, more, signal)), shown: more };
}

/** What held when the messages were written, newest first and no more than so many. */
export function knownOf(held: readonly SessionMemory[], messages: readonly SourceMessage[], limit: number): KnownMemory[] {
  const at = messages[0]?.createdAt ?? '';
  return held
    .filter((memory) => memory.kind !== 'summary' && isCurrent(memory, at))
    .slice(0, limit)
    .map(({ id, kind, content, slot, causeId }) => ({ id, kind, content, slot, saidIn: causeId ?? undefined }));
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
