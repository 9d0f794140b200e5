/** The memories of people, made anew from what was said about the topics that change. In a transaction that holds the people. */
import type { Transaction } from '../../db/database.ts';
import { shape } from '../../db/shape.ts';
import { list, type Sql, sql } from '../../db/sql.ts';
import { deleteVectors } from '../../search/vectors.ts';
import type { SessionPlace } from '../../sessions/store.ts';
import type { SessionMemory } from '../extraction/consolidation.ts';
import { type Assertion, Topics } from '../extraction/topics.ts';
import {
  deleteAssertions,
  findLatest,
  insertAssertions,
  loadAssertions,
  loadEndedFor,
  loadSessionAssertions,
  loadTopics,
  settleAssertions,
} from './assertions.ts';
import { lockPeople, recordPerson } from './people.ts';
import { memoryVectors } from './rows.ts';
import { insertSessionMemories, metaOf, updateSessionMemory } from './session-memories.ts';

/** More than a batch of messages says. */
const TOPICS_AT_ONCE = 100;
const DELETED_AT_ONCE = 200;
/** Of many it costs less to look at all topics together. */
const MOST_LOOKED_AT_ALONE = 50;
/** Said again, a memory that ends lives longer; not by a write each time. */
const LEAST_PROLONGED_MS = 60 * 60 * 1000;

export interface AssertionChange {
  readonly removed?: readonly Assertion[];
  readonly added?: readonly Assertion[];
}

type PlacedMemory = SessionMemory & { readonly sessionId: string };

/** A memory as it stands. */
interface StandingMemory {
  readonly id: string;
  readonly sessionId: string;
  readonly source: 'written' | 'extracted';
  readonly meta: unknown;
  readonly expiresAt: string | null;
  readonly supersededAt: string | null;
  readonly supersededBy: string | null;
}
const standing = shape<StandingMemory>({
  id: 'text',
  sessionId: 'text',
  source: 'text',
  meta: 'json',
  expiresAt: 'time',
  supersededAt: 'time',
  supersededBy: 'text',
});

/** Gives those memories that hold no longer. What belongs to a session that goes as a whole is left to those who remove it. */
export async function changeAssertions(
  tx: Transaction,
  workspaceId: string,
  { removed = [], added = [] }: AssertionChange,
  nowMs: number,
  goneSessionId?: string,
): Promise<PlacedMemory[]> {
  const orphans = await memoriesOf(tx, workspaceId, removed, goneSessionId);
  const repeated = await findRepeated(tx, workspaceId, added, removed);
  for (const statement of [...deleteAssertions(workspaceId, removed), ...insertAssertions(workspaceId, added)]) await tx.run(statement);
  const changed = [...removed, ...added].filter(({ id }) => !repeated.has(id));
  const ended: PlacedMemory[] = [];
  const changes = new SessionChanges(tx, workspaceId, nowMs, goneSessionId);
  for (const [personId, ofPerson] of Map.groupBy(changed, (assertion) => assertion.personId)) {
    const topicIds = [...new Set(ofPerson.map(({ topicId }) => topicId))];
    for (let start = 0; start < topicIds.length; start += TOPICS_AT_ONCE)
      ended.push(...(await makeMemories(tx, workspaceId, personId, topicIds.slice(start, start + TOPICS_AT_ONCE), changes)));
  }
  await changes.removeUnlessMade(orphans);
  await changes.count();
  return ended;
}

/** The memories of a session are its own from now on. `lock` holds the session; the people come first. */
export async function leavePerson(tx: Transaction, place: SessionPlace, nowMs: number, lock: () => Promise<void>): Promise<void> {
  const former = await loadSessionAssertions(tx, place);
  await lockPeople(
    tx,
    place.workspaceId,
    former.map(({ personId }) => personId),
  );
  await lock();
  if (former.length > 0) await changeAssertions(tx, place.workspaceId, { removed: await loadSessionAssertions(tx, place) }, nowMs);
  await tx.run(recordPerson(place, null, nowMs));
}

/** Memories that were changed or deleted by hand: nothing that says the same makes them again, until it is said anew. */
export async function settleMemories(
  tx: Transaction,
  workspaceId: string,
  memoryIds: readonly string[],
  isDeleted: boolean,
  nowMs: number,
): Promise<void> {
  const changes = new SessionChanges(tx, workspaceId, nowMs, undefined);
  for (const { personId, topicId, id } of await loadAssertions(tx, workspaceId, memoryIds)) {
    const run = new Topics(await loadTopics(tx, workspaceId, personId, [topicId])).runOf(id);
    if (run?.first.id !== id) continue;
    const ids = run.all.map((assertion) => assertion.id);
    for (const statement of settleAssertions(workspaceId, ids, isDeleted)) await tx.run(statement);
    await makeMemories(tx, workspaceId, personId, [topicId], changes);
  }
  await changes.count();
}

/** Those that say once more what was said last: nothing comes of them now, however often it was said. */
async function findRepeated(
  tx: Transaction,
  workspaceId: string,
  added: readonly Assertion[],
  removed: readonly Assertion[],
): Promise<Set<string>> {
  const repeated = new Set<string>();
  if (added.length > MOST_LOOKED_AT_ALONE || removed.length > 0) return repeated;
  const byTopic = Map.groupBy(added, ({ personId, topicId }) => `${personId} ${topicId}`);
  for (const [one, another] of byTopic.values()) {
    if (!one || another || one.content === null || one.expiresAt !== null) continue;
    const last = await findLatest(tx, workspaceId, one.personId, one.topicId);
    const isSame = last?.fingerprint === one.fingerprint && last.content !== null && last.expiresAt === null && !last.settled;
    if (isSame && last.messageId < one.messageId) repeated.add(one.id);
  }
  return repeated;
}

async function makeMemories(
  tx: Transaction,
  workspaceId: string,
  personId: string,
  changedTopicIds: readonly string[],
  changes: SessionChanges,
): Promise<PlacedMemory[]> {
  const changed = await loadTopics(tx, workspaceId, personId, changedTopicIds);
  // What stands in the place of something that changes tells of it.
  const successors = await loadAssertions(
    tx,
    workspaceId,
    changed.flatMap(({ successorId }) => successorId ?? []),
  );
  const topicIds = [...new Set([...changedTopicIds, ...successors.map(({ topicId }) => topicId)])];
  const written = await loadTopics(tx, workspaceId, personId, topicIds);
  const told = await loadEndedFor(tx, workspaceId, personId, topicIds);
  const topics = new Topics([...written, ...told]);
  const before = await memoriesAbout(tx, workspaceId, personId, topicIds);
  const kept = new Set(before.filter(({ source }) => source === 'written').map(({ id }) => id));
  return changes.write(
    before,
    topicIds.flatMap((topicId) => topics.memories(topicId, kept)),
  );
}

async function memoriesAbout(
  tx: Transaction,
  workspaceId: string,
  personId: string,
  topicIds: readonly string[],
): Promise<StandingMemory[]> {
  return tx.query(sql<StandingMemory>`
    select ${standing.of('m')} from assertions a join memories m on m.workspace_id = a.workspace_id and m.session_id = a.session_id and m.id = a.id
    where a.workspace_id = ${workspaceId} and a.person_id = ${personId} and a.topic_id in ${list(topicIds)}`);
}

/** Of assertions, those that became memories; but for those of one session. */
async function memoriesOf(
  tx: Transaction,
  workspaceId: string,
  assertions: readonly Assertion[],
  exceptSessionId: string | undefined,
): Promise<StandingMemory[]> {
  const found: StandingMemory[] = [];
  const others = assertions.filter(({ sessionId, content }) => content !== null && sessionId !== exceptSessionId);
  for (let start = 0; start < others.length; start += DELETED_AT_ONCE) {
    const some = others.slice(start, start + DELETED_AT_ONCE);
    const sessionIds = [...new Set(some.map(({ sessionId }) => sessionId))];
    found.push(
      ...(await tx.query(sql<StandingMemory>`
        select ${standing} from memories
        where workspace_id = ${workspaceId} and session_id in ${list(sessionIds)} and id in ${list(some.map(({ id }) => id))}`)),
    );
  }
  return found;
}

/** Writes to the memories of several sessions, and what each session has to count. */
class SessionChanges {
  readonly #tx: Transaction;
  readonly #workspaceId: string;
  readonly #nowMs: number;
  readonly #goneSessionId: string | undefined;
  readonly #made = new Set<string>();
  readonly #added = new Map<string, number>();

  constructor(tx: Transaction, workspaceId: string, nowMs: number, goneSessionId: string | undefined) {
    this.#tx = tx;
    this.#workspaceId = workspaceId;
    this.#nowMs = nowMs;
    this.#goneSessionId = goneSessionId;
  }

  /** These in place of those that were there. Gives those that hold no longer. */
  async write(before: readonly StandingMemory[], memories: readonly PlacedMemory[]): Promise<PlacedMemory[]> {
    const byId = new Map(before.map((memory) => [memory.id, memory]));
    for (const { id } of memories) this.#made.add(id);
    await this.removeUnlessMade(before);
    const fresh = memories.filter(({ id }) => !byId.has(id));
    for (const [sessionId, ofSession] of Map.groupBy(fresh, (memory) => memory.sessionId)) {
      await insertSessionMemories(this.#tx, this.#place(sessionId), ofSession, this.#nowMs);
      this.#add(sessionId, ofSession.length);
    }
    const changed = memories.filter((memory) => isOther(memory, byId.get(memory.id)));
    for (const memory of changed) {
      await this.#tx.run(updateSessionMemory(this.#place(memory.sessionId), memory, this.#nowMs));
      this.#add(memory.sessionId, 0);
    }
    return [...fresh, ...changed].filter(({ supersededAt }) => supersededAt !== null);
  }

  /** What a person or program has made theirs stays. */
  async removeUnlessMade(memories: readonly StandingMemory[]): Promise<void> {
    const gone = memories.filter(({ id, source }) => source === 'extracted' && !this.#made.has(id));
    for (const [sessionId, ofSession] of Map.groupBy(gone, (memory) => memory.sessionId)) {
      const ids = ofSession.map(({ id }) => id);
      let removed = 0;
      for (let start = 0; start < ids.length; start += DELETED_AT_ONCE) {
        const some = ids.slice(start, start + DELETED_AT_ONCE);
        removed += await this.#tx.run(sql`
          delete from memories where workspace_id = ${this.#workspaceId} and session_id = ${sessionId} and id in ${list(some)}`);
        await this.#tx.batch(deleteVectors(memoryVectors(this.#place(sessionId)), some, true));
      }
      this.#add(sessionId, -removed);
    }
  }

  /** In the order of their ids, as everybody takes them. */
  async count(): Promise<void> {
    for (const [sessionId, added] of [...this.#added].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (sessionId === this.#goneSessionId) continue;
      await this.#tx.run(countMemories(this.#workspaceId, sessionId, added));
    }
  }

  #add(sessionId: string, count: number): void {
    this.#added.set(sessionId, (this.#added.get(sessionId) ?? 0) + count);
  }

  #place(sessionId: string) {
    return { workspaceId: this.#workspaceId, sessionId };
  }
}

/** By the session's id alone: the memories of a person lie in many. */
function countMemories(workspaceId: string, sessionId: string, added: number): Sql {
  return sql`
    update sessions set memory_count = memory_count + ${added}, memory_edits = memory_edits + 1
    where workspace_id = ${workspaceId} and id = ${sessionId}`;
}

function isOther(memory: SessionMemory, before: StandingMemory | undefined): boolean {
  if (before === undefined || before.source === 'written') return false;
  const isProlonged =
    memory.expiresAt !== null && before.expiresAt !== null
      ? Math.abs(Date.parse(memory.expiresAt) - Date.parse(before.expiresAt)) > LEAST_PROLONGED_MS
      : memory.expiresAt !== before.expiresAt;
  return (
    isProlonged ||
    memory.supersededAt !== before.supersededAt ||
    memory.supersededBy !== before.supersededBy ||
    JSON.stringify(metaOf(memory)) !== JSON.stringify(before.meta)
  );
}
