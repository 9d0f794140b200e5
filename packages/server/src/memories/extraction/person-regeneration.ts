/** All that the messages of a session say about a person, read again. */

import { sql } from '../../db/sql.ts';
import type { SessionPlace } from '../../sessions/store.ts';
import { countBySaidIn, isSaidForOthers, loadKnown, loadSaidIn } from '../store/assertions.ts';
import { enqueueSummary } from '../store/extraction-state.ts';
import { lockPeople, recordPerson } from '../store/people.ts';
import { CHANGED_AT_ONCE, changeAssertions } from '../store/person-memories.ts';
import { deleteSessionsOwn } from '../store/replacing.ts';
import { dropSources, inSession } from '../store/rows.ts';
import { loadSessionMemories, lockMessages, SessionChanged, type SessionMark } from '../store/session-memories.ts';
import type { Assertion } from '../topics.ts';
import { fingerprintDigestOf, type KnownOfPerson } from './assertions.ts';
import type { SessionMemory } from './consolidation.ts';
import type { SourceMessage } from './extractor.ts';
import { readMessages } from './person-extraction.ts';
import type { FinishRegeneration, Regeneration } from './regeneration.ts';
import type { ExtractionOptions } from './session-extraction.ts';

export class PersonRegeneration implements Regeneration {
  readonly #options: ExtractionOptions;
  readonly #place: SessionPlace;
  readonly #personId: string;
  readonly #held: readonly SessionMemory[];
  readonly #assertions: Assertion[] = [];
  readonly #read = new Set<string>();
  /** What holds of the session so far, by topic. */
  readonly #current = new Map<string, KnownOfPerson>();

  private constructor(options: ExtractionOptions, place: SessionPlace, personId: string, held: readonly SessionMemory[]) {
    this.#options = options;
    this.#place = place;
    this.#personId = personId;
    this.#held = held;
  }

  static async open(options: ExtractionOptions, place: SessionPlace, personId: string): Promise<PersonRegeneration> {
    return new PersonRegeneration(options, place, personId, await loadSessionMemories(options.db, place));
  }

  async take(messages: readonly SourceMessage[], signal: AbortSignal): Promise<void> {
    const [first] = messages;
    if (!first) return;
    for (const { id } of messages) this.#read.add(id);
    const known = async (limit: number) => {
      const elsewhere = await loadKnown(this.#options.db, this.#place, this.#personId, first, { limit, isElsewhere: true });
      return [...this.#current.values(), ...elsewhere];
    };
    const written = this.#held.filter(({ source }) => source === 'written');
    const { assertions: made } = await readMessages(this.#options, this.#place, this.#personId, messages, { known, written }, signal);
    for (const assertion of made) {
      const { id, topicId, kind, content, slot, fingerprintDigest, sources } = assertion;
      if (kind !== null && content !== null)
        this.#current.set(topicId, { id, kind, content, slot, fingerprintDigest, sources, source: 'extracted' });
      else if (this.#current.get(topicId)?.fingerprintDigest === fingerprintDigest) this.#current.delete(topicId);
    }
    this.#assertions.push(...made);
  }

  /**
   * The session's memories were another's before, or nobody's but its own: they become this person's, some messages at a time.
   * What comes out as it was is left alone, and what came meanwhile and was looked at stays.
   */
  async write(mark: SessionMark, nowMs: number, finish: FinishRegeneration, signal: AbortSignal): Promise<void> {
    const { db } = this.#options;
    const { workspaceId } = this.#place;
    const names = new FormerIds(this.#held);
    for (const messageIds of await this.#parts()) {
      signal.throwIfAborted();
      await db.transaction(async (tx) => {
        const people = (await loadSaidIn(tx, this.#place, messageIds)).map(({ personId }) => personId);
        await lockPeople(tx, workspaceId, [this.#personId, ...people]);
        await lockMessages(tx, this.#place, mark);
        const former = await loadSaidIn(tx, this.#place, messageIds);
        const { assertions, taken } = names.give(
          this.#assertions.filter(({ messageId }) => messageIds.includes(messageId)),
          former,
        );
        await dropSources(tx, this.#place, taken);
        const before = new Map(former.map((assertion) => [assertion.id, assertion]));
        const added = assertions.filter((assertion) => !isSame(assertion, before.get(assertion.id)));
        const unchanged = new Set(assertions.map(({ id }) => id)).difference(new Set(added.map(({ id }) => id)));
        const removed = former.filter(({ id }) => !unchanged.has(id));
        await changeAssertions(tx, workspaceId, { removed, added }, nowMs);
      });
    }
    while (await db.transaction((tx) => deleteSessionsOwn(tx, this.#place, CHANGED_AT_ONCE, nowMs))) signal.throwIfAborted();
    await db.transaction(async (tx) => {
      await lockPeople(tx, workspaceId, [this.#personId]);
      await lockMessages(tx, this.#place, mark);
      if (await isSaidForOthers(tx, this.#place, this.#personId)) throw new SessionChanged('The session became another person’s meanwhile');
      await tx.run(sql`delete from memory_events where ${inSession(this.#place)} and event = 'withdrawn'`);
      await tx.run(recordPerson(this.#place, this.#personId, nowMs));
      await tx.run(enqueueSummary(this.#place, nowMs));
      await finish(tx);
    });
  }

  /** The messages that were read and say something, or did so before: as many at a time as a transaction may change. */
  async #parts(): Promise<string[][]> {
    const counts = await countBySaidIn(this.#options.db, this.#place);
    for (const { messageId } of this.#assertions) counts.set(messageId, (counts.get(messageId) ?? 0) + 1);
    const parts: string[][] = [];
    let left = 0;
    for (const [messageId, count] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (!this.#read.has(messageId)) continue;
      if (left < count || parts.length === 0) {
        parts.push([]);
        left = CHANGED_AT_ONCE;
      }
      parts.at(-1)?.push(messageId);
      left -= count;
    }
    return parts;
  }
}

/** What comes out the same keeps its id, and stays in the hands that it was in. */
class FormerIds {
  readonly #writtenIds: ReadonlySet<string>;
  readonly #ofHeld: ReadonlyMap<string, readonly Candidate[]>;
  readonly #used = new Set<string>();

  constructor(held: readonly SessionMemory[]) {
    this.#writtenIds = new Set(held.filter(({ source }) => source === 'written').map(({ id }) => id));
    this.#ofHeld = Map.groupBy(held.flatMap(candidatesOf), ({ key }) => key);
  }

  /** `taken` are the ids of memories that were the session's own until now. */
  give(assertions: readonly Assertion[], former: readonly Assertion[]): { assertions: Assertion[]; taken: string[] } {
    const formerIds = new Set(former.map(({ id }) => id));
    const ofFormer = Map.groupBy(
      former.map((assertion): Candidate => ({ key: sameKey(assertion), id: assertion.id, overridden: this.#writtenIds.has(assertion.id) })),
      ({ key }) => key,
    );
    const newIds = new Map<string, string>();
    const renamed = assertions.map((assertion) => {
      const { id, messageId, fingerprintDigest, content } = assertion;
      const key = sameKey(assertion);
      const held = [
        ...(this.#ofHeld.get(key) ?? []),
        ...(content === null ? [] : (this.#ofHeld.get(`${messageId} ${fingerprintDigest}`) ?? [])),
      ];
      const same = [...(ofFormer.get(key) ?? []), ...held.filter((one) => !formerIds.has(one.id))];
      const overridden = same.some((one) => one.overridden);
      const free = same.find((one) => !this.#used.has(one.id));
      if (!free) return { ...assertion, overridden };
      this.#used.add(free.id);
      newIds.set(id, free.id);
      return { ...assertion, id: free.id, overridden };
    });
    const named = renamed.map((assertion) => {
      const { successorId } = assertion;
      return successorId === null ? assertion : { ...assertion, successorId: newIds.get(successorId) ?? successorId };
    });
    return { assertions: named, taken: [...newIds.values()].filter((id) => !formerIds.has(id)) };
  }
}

interface Candidate {
  readonly key: string;
  readonly id: string;
  readonly overridden: boolean;
}

function candidatesOf({ id, kind, content, fingerprint, source, origin, messageIds }: SessionMemory): Candidate[] {
  if (kind === 'summary') return [];
  const fingerprintDigest = fingerprintDigestOf(fingerprint);
  const candidates: Candidate[] = [];
  if (source === 'extracted')
    candidates.push({ key: sameKey({ messageId: messageIds.at(-1) ?? '', kind, content, fingerprintDigest }), id, overridden: false });
  // Extracted from the session alone, and changed by hand since.
  for (const causeId of origin?.causeIds ?? [])
    candidates.push({ key: `${causeId} ${fingerprintDigestOf(origin?.fingerprint ?? '')}`, id, overridden: true });
  return candidates;
}

/** A row is written once: the same id says the same, in the same words. */
function sameKey({
  messageId,
  kind,
  content,
  fingerprintDigest,
}: Pick<Assertion, 'messageId' | 'content' | 'fingerprintDigest'> & { kind: string | null }): string {
  return JSON.stringify([messageId, kind, content ?? fingerprintDigest]);
}

function isSame(assertion: Assertion, stored: Assertion | undefined): boolean {
  return (
    stored !== undefined &&
    Object.entries(assertion).every(([name, value]) => JSON.stringify(value) === JSON.stringify(stored[name as keyof Assertion]))
  );
}
