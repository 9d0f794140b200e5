/** All that the messages of a session say about a person, read again. */

import type { Transaction } from '../../db/database.ts';
import type { SessionPlace } from '../../sessions/store.ts';
import { loadKnown, loadSessionAssertions } from '../store/assertions.ts';
import { enqueueSummary } from '../store/extraction-state.ts';
import { lockPeople, recordPerson } from '../store/people.ts';
import { changeAssertions } from '../store/person-memories.ts';
import { deleteSessionsOwn } from '../store/replacing.ts';
import { dropSources } from '../store/rows.ts';
import { loadSessionMemories, lockMessages, SessionChanged, type SessionMark } from '../store/session-memories.ts';
import type { KnownOfPerson } from './assertions.ts';
import type { SessionMemory } from './consolidation.ts';
import type { SourceMessage } from './extractor.ts';
import { readMessages } from './person-extraction.ts';
import { type ExtractionOptions, KNOWN_SHOWN } from './session-extraction.ts';
import type { Assertion } from './topics.ts';

/** What a rebuild reads page by page, and writes in one transaction. */
export class PersonRebuild {
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

  static async open(options: ExtractionOptions, place: SessionPlace, personId: string): Promise<PersonRebuild> {
    return new PersonRebuild(options, place, personId, await loadSessionMemories(options.db, place));
  }

  async take(messages: readonly SourceMessage[], signal: AbortSignal): Promise<void> {
    const [first] = messages;
    if (!first) return;
    for (const { id } of messages) this.#read.add(id);
    const elsewhere = await loadKnown(this.#options.db, this.#place, this.#personId, first, { limit: KNOWN_SHOWN, isElsewhere: true });
    const known = [...this.#current.values(), ...elsewhere];
    const written = this.#held.filter(({ source }) => source === 'written');
    const made = await readMessages(this.#options, this.#place, this.#personId, messages, { known, written }, signal);
    for (const assertion of made) {
      const { id, topicId, kind, content, slot, fingerprint, sources } = assertion;
      if (kind !== null && content !== null)
        this.#current.set(topicId, { id, kind, content, slot, fingerprint, sources, source: 'extracted' });
      else if (this.#current.get(topicId)?.fingerprint === fingerprint) this.#current.delete(topicId);
    }
    this.#assertions.push(...made);
  }

  /** The summary is made by a job of its own. */
  async finish(): Promise<void> {}

  /** In a transaction. The session's memories were another's before, or nobody's but its own: they are now of this person. */
  async write(tx: Transaction, mark: SessionMark, nowMs: number): Promise<void> {
    const { workspaceId } = this.#place;
    const former = await loadSessionAssertions(tx, this.#place);
    await lockPeople(tx, workspaceId, [this.#personId, ...former.map(({ personId }) => personId)]);
    await lockMessages(tx, this.#place, mark);
    // What came meanwhile and was looked at stays.
    const all = await loadSessionAssertions(tx, this.#place);
    const removed = all.filter(({ messageId }) => this.#read.has(messageId));
    if (all.some(({ messageId, personId }) => !this.#read.has(messageId) && personId !== this.#personId))
      throw new SessionChanged('The session became another person’s meanwhile');
    const added = withFormerIds(this.#assertions, removed, this.#held);
    const own = this.#held.filter(({ kind }) => kind !== 'summary').map(({ id }) => id);
    await dropSources(tx, this.#place, own);
    await changeAssertions(tx, workspaceId, { removed, added }, nowMs);
    await deleteSessionsOwn(tx, this.#place);
    await tx.run(recordPerson(this.#place, this.#personId, nowMs));
    await tx.run(enqueueSummary(this.#place, nowMs));
  }
}

/** What comes out the same keeps its id, and stays in the hands that it was in. */
function withFormerIds(assertions: readonly Assertion[], former: readonly Assertion[], held: readonly SessionMemory[]): Assertion[] {
  const isWritten = new Set(held.filter(({ source }) => source === 'written').map(({ id }) => id));
  const formerIds = new Set(former.map(({ id }) => id));
  const candidates: { key: string; id: string; settled: boolean }[] = former.map((assertion) => ({
    key: sameKey(assertion),
    id: assertion.id,
    settled: isWritten.has(assertion.id),
  }));
  for (const memory of held) {
    const { id, kind, content, fingerprint, origin } = memory;
    if (formerIds.has(id) || kind === 'summary') continue;
    if (memory.source === 'extracted')
      candidates.push({ key: sameKey({ messageId: memory.messageIds.at(-1) ?? '', kind, content, fingerprint }), id, settled: false });
    // Extracted from the session alone, and changed by hand since.
    for (const causeId of origin?.causeIds ?? []) candidates.push({ key: `${causeId} ${origin?.fingerprint}`, id, settled: true });
  }
  const byKey = Map.groupBy(candidates, ({ key }) => key);
  const used = new Set<string>();
  const newIds = new Map<string, string>();
  const renamed = assertions.map((assertion) => {
    const { id, messageId, fingerprint, content } = assertion;
    const same = [...(byKey.get(sameKey(assertion)) ?? []), ...(content === null ? [] : (byKey.get(`${messageId} ${fingerprint}`) ?? []))];
    const settled = same.some((one) => one.settled);
    const free = same.find((one) => !used.has(one.id));
    if (!free) return { ...assertion, settled };
    used.add(free.id);
    newIds.set(id, free.id);
    return { ...assertion, id: free.id, settled };
  });
  return renamed.map((assertion) => {
    const { successorId } = assertion;
    return successorId === null ? assertion : { ...assertion, successorId: newIds.get(successorId) ?? successorId };
  });
}

/** A row is written once: the same id says the same, in the same words. */
function sameKey({
  messageId,
  kind,
  content,
  fingerprint,
}: Pick<Assertion, 'messageId' | 'content' | 'fingerprint'> & { kind: string | null }): string {
  return JSON.stringify([messageId, kind, content ?? fingerprint]);
}
