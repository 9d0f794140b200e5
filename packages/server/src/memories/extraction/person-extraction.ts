/** Messages of a session whose memories are those of a person: what they say is noted, and the person's memories follow from it. */

import { newIdAt } from '../../db/ids.ts';
import type { Sql } from '../../db/sql.ts';
import type { SessionPlace } from '../../sessions/store.ts';
import { EVERYTHING, loadKnown, loadSaidIn, wasSaidBefore } from '../store/assertions.ts';
import { dequeueMessages, type QueuedMessage } from '../store/extraction-queue.ts';
import { enqueueSummary, recordExtracted } from '../store/extraction-state.ts';
import { findKeptPerson, lockPeople, recordPerson } from '../store/people.ts';
import { changeAssertions } from '../store/person-memories.ts';
import { loadSessionMemories, lockMessages, SessionChanged, sessionMark } from '../store/session-memories.ts';
import type { Assertion } from '../topics.ts';
import { assertionsOf, fingerprintDigestOf, type KnownOfPerson } from './assertions.ts';
import { isCurrent, type SessionMemory } from './consolidation.ts';
import type { SourceMessage } from './extractor.ts';
import { type ExtractionOptions, extractWith, hasOutgrownSummary, isForgetting } from './session-extraction.ts';

export async function extractForPerson(
  options: ExtractionOptions,
  place: SessionPlace,
  { personId, keptPersonId }: { personId: string; keptPersonId: string | null },
  messages: readonly QueuedMessage[],
  signal: AbortSignal,
): Promise<void> {
  const { db, clock } = options;
  const mark = await sessionMark(db, place);
  const [first] = messages;
  if (!mark || !first) return;
  const held = await loadSessionMemories(db, place);
  const written = held.filter(({ source }) => source === 'written');
  const known = (limit: number) => loadKnown(db, place, personId, first, { limit, isElsewhere: false });
  const { assertions, isForgetting: forgets } = await readMessages(options, place, personId, messages, { known, written }, signal);
  const isGrown = await hasOutgrownSummary(options, place, mark);
  const nowMs = clock.nowMs();
  await db.transaction(async (tx) => {
    // Most messages say nothing to remember, and need nobody to wait.
    if (assertions.length > 0) {
      await lockPeople(tx, place.workspaceId, [personId]);
      await lockMessages(tx, place, mark);
      if ((await findKeptPerson(tx, place)) !== keptPersonId) throw new SessionChanged('The session became another person’s meanwhile');
    }
    let left = messages.length;
    for (const statement of dequeueMessages(place, messages)) left -= await tx.run(statement);
    if (left > 0) throw new SessionChanged('Another process looked at the messages, or they were edited');
    const change = async () => {
      // A regeneration may have come to them first: a message says what it says once.
      const removed = await loadSaidIn(
        tx,
        place,
        messages.map(({ id }) => id),
      );
      return changeAssertions(tx, place.workspaceId, { removed, added: assertions }, nowMs);
    };
    const ended = assertions.length > 0 ? await change() : [];
    const records: Sql[] = [recordExtracted(place, messages.length, nowMs)];
    if (personId !== keptPersonId) records.push(recordPerson(place, personId, nowMs));
    if (isGrown || forgets || isToldBy(ended, place, held)) records.push(enqueueSummary(place, nowMs));
    if (forgets) records.push(...sessionsOf(ended, place).map((elsewhere) => enqueueSummary(elsewhere, nowMs)));
    for (const statement of records) await tx.run(statement);
  });
}

/** What held of the person before the messages, newest first and no more than so many. */
export type ReadKnown = (limit: number) => Promise<readonly KnownOfPerson[]>;

/** What messages say about the person, read with what is known. */
export async function readMessages(
  options: ExtractionOptions,
  place: SessionPlace,
  personId: string,
  messages: readonly SourceMessage[],
  { known, written }: { known: ReadKnown; written: readonly SessionMemory[] },
  signal: AbortSignal,
): Promise<{ assertions: Assertion[]; isForgetting: boolean }> {
  const newest = async (limit: number) => knownOfPerson(await known(limit), written, messages).slice(0, limit);
  const { extraction, extractor, shown } = await extractWith(options, place, messages, newest, signal);
  const isAllMeant = (extraction.forgetsAll ?? []).length > 0;
  const made = assertionsOf(messages, extraction, {
    sessionId: place.sessionId,
    personId,
    extractor,
    shortLivedMs: options.shortLivedMs,
    newId: (saidAt) => newIdAt(Date.parse(saidAt)),
    known: isAllMeant ? knownOfPerson(await known(EVERYTHING), written, messages) : shown,
    written,
  });
  return { assertions: await withoutPasted(options, place, made, messages), isForgetting: isForgetting(extraction) };
}

/** An agent that shows what it remembers says nothing new, even if it no longer holds. */
async function withoutPasted(
  { db }: ExtractionOptions,
  { workspaceId }: SessionPlace,
  made: readonly Assertion[],
  messages: readonly SourceMessage[],
): Promise<Assertion[]> {
  const texts = new Map(messages.map(({ id, content }) => [id, content]));
  const pasted = new Set<string>();
  for (const assertion of made) {
    const isThere = assertion.content !== null && texts.get(assertion.messageId)?.includes(assertion.content);
    if (isThere && (await wasSaidBefore(db, workspaceId, assertion))) pasted.add(assertion.id);
  }
  return made.filter(({ id, successorId }) => !pasted.has(id) && !pasted.has(successorId ?? ''));
}

/** With what people and programs wrote in the session, newest first. */
function knownOfPerson(
  known: readonly KnownOfPerson[],
  written: readonly SessionMemory[],
  messages: readonly SourceMessage[],
): KnownOfPerson[] {
  const at = messages[0]?.createdAt ?? '';
  const own = written
    .filter((memory) => memory.kind !== 'summary' && isCurrent(memory, at))
    .map(({ id, kind, content, slot, fingerprint, source }): KnownOfPerson => {
      return { id, kind, content, slot, fingerprintDigest: fingerprintDigestOf(fingerprint), source, sources: [] };
    });
  const told = known.map((memory) => ({ ...memory, saidIn: memory.sources.at(-1)?.messageId }));
  return [...told, ...own].sort((a, b) => (a.id < b.id ? 1 : -1));
}

/** Other sessions in which something ended. */
function sessionsOf(ended: readonly { sessionId: string }[], place: SessionPlace): SessionPlace[] {
  const ids = new Set(ended.map(({ sessionId }) => sessionId));
  ids.delete(place.sessionId);
  return [...ids].map((sessionId) => ({ ...place, sessionId }));
}

/** Whether the summary of the session was made from something that no longer holds. */
function isToldBy(
  ended: readonly (SessionMemory & { sessionId: string })[],
  { sessionId }: SessionPlace,
  held: readonly SessionMemory[],
): boolean {
  const summary = held.find(({ kind, source, supersededAt }) => kind === 'summary' && source === 'extracted' && supersededAt === null);
  const told = new Set(summary?.messageIds);
  return ended.some((memory) => memory.sessionId === sessionId && memory.messageIds.some((id) => told.has(id)));
}
