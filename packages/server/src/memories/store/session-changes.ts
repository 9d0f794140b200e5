/** Writes to the memories of a person, which lie in several sessions. */
import type { Transaction } from '../../db/database.ts';
import { shape } from '../../db/shape.ts';
import { list, type Sql, sql } from '../../db/sql.ts';
import { type Change, recordAllEvents } from '../../outbox/outbox.ts';
import { deleteVectors } from '../../search/vectors.ts';
import type { SessionPlace } from '../../sessions/store.ts';
import type { SessionMemory } from '../extraction/consolidation.ts';
import type { Assertion, PersonMemory } from '../topics.ts';
import { changedMemories, createdMemories, deletedMemories } from './recording.ts';
import { memoryVectors } from './rows.ts';
import { insertSessionMemories, metaOf, updateSessionMemory } from './session-memories.ts';

const ROWS_AT_ONCE = 200;
/** Said again, a memory that ends lives longer; not by a write each time. */
const LEAST_PROLONGED_MS = 60 * 60 * 1000;

/** A memory as it stands. */
export interface StandingMemory {
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

/** Of assertions, those that are memories; but for those of one session. */
export async function loadStanding(
  tx: Transaction,
  workspaceId: string,
  assertions: readonly Pick<Assertion, 'id' | 'sessionId'>[],
  exceptSessionId?: string,
): Promise<StandingMemory[]> {
  const found: StandingMemory[] = [];
  const others = assertions.filter(({ sessionId }) => sessionId !== exceptSessionId);
  for (let start = 0; start < others.length; start += ROWS_AT_ONCE) {
    const some = others.slice(start, start + ROWS_AT_ONCE);
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
export class SessionChanges {
  readonly #tx: Transaction;
  readonly #workspaceId: string;
  readonly #nowMs: number;
  readonly #goneSessionId: string | undefined;
  readonly #copySessionId: string | undefined;
  readonly #made = new Set<string>();
  readonly #added = new Map<string, number>();
  /** Of those that were asked for and are there. */
  readonly #agents = new Map<string, string>();
  readonly #told: { readonly sessionId: string; readonly changesIn: (place: SessionPlace) => Change[] }[] = [];

  /** Of a session that is gone, or a copy, no event tells what became of its memories: one tells of the session. */
  constructor(tx: Transaction, workspaceId: string, nowMs: number, goneSessionId?: string, copySessionId?: string) {
    this.#tx = tx;
    this.#workspaceId = workspaceId;
    this.#nowMs = nowMs;
    this.#goneSessionId = goneSessionId;
    this.#copySessionId = copySessionId;
  }

  /** These in place of those that were there. Gives those that hold no longer. */
  async write(before: readonly StandingMemory[], memories: readonly PersonMemory[]): Promise<PersonMemory[]> {
    const byId = new Map(before.map((memory) => [memory.id, memory]));
    for (const { id } of memories) this.#made.add(id);
    await this.removeUnlessMade(before);
    const fresh = memories.filter(({ id }) => !byId.has(id));
    await this.#findAgentsOf(fresh);
    for (const [sessionId, ofSession] of Map.groupBy(fresh, (memory) => memory.sessionId)) {
      const agentId = this.#agents.get(sessionId);
      // Of a session that is being deleted, what it says is about to go.
      if (agentId === undefined) continue;
      await insertSessionMemories(this.#tx, { ...this.#place(sessionId), agentId }, ofSession, this.#nowMs);
      this.#add(sessionId, ofSession.length);
      this.#tell(sessionId, (place) => createdMemories(place, ofSession));
    }
    const changed = memories.filter((memory) => isOther(memory, byId.get(memory.id)));
    for (const memory of changed) {
      await this.#tx.run(updateSessionMemory(this.#place(memory.sessionId), memory, this.#nowMs));
      this.#add(memory.sessionId, 0);
      this.#tell(memory.sessionId, (place) => changedMemories(place, [memory], byId));
    }
    return [...fresh, ...changed].filter(({ supersededAt }) => supersededAt !== null);
  }

  /** What a person or program has made theirs stays. */
  async removeUnlessMade(memories: readonly StandingMemory[]): Promise<void> {
    const gone = memories.filter(({ id, source }) => source === 'extracted' && !this.#made.has(id));
    for (const [sessionId, ofSession] of Map.groupBy(gone, (memory) => memory.sessionId)) {
      const ids = ofSession.map(({ id }) => id);
      const removed: string[] = [];
      for (let start = 0; start < ids.length; start += ROWS_AT_ONCE) {
        const some = ids.slice(start, start + ROWS_AT_ONCE);
        const deleted = await this.#tx.query(sql<{ id: string }>`
          delete from memories where workspace_id = ${this.#workspaceId} and session_id = ${sessionId} and id in ${list(some)} returning id`);
        removed.push(...deleted.map(({ id }) => id));
        await this.#tx.batch(deleteVectors(memoryVectors(this.#place(sessionId)), some, true));
      }
      this.#add(sessionId, -removed.length);
      this.#tell(sessionId, (place) => deletedMemories(place, removed));
    }
  }

  /** In the order of their ids, as everybody takes them. */
  async count(): Promise<void> {
    for (const [sessionId, added] of [...this.#added].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (sessionId === this.#goneSessionId) continue;
      await this.#tx.run(countMemories(this.#workspaceId, sessionId, added));
    }
    // Only now all of these sessions are held: in each, events come in the order of what is committed.
    await this.#findAgentsOf(this.#told);
    const changes = this.#told.flatMap(({ sessionId, changesIn }) => {
      const agentId = this.#agents.get(sessionId);
      return agentId === undefined ? [] : changesIn({ ...this.#place(sessionId), agentId });
    });
    for (const statement of recordAllEvents(changes, this.#nowMs)) await this.#tx.run(statement);
  }

  #tell(sessionId: string, changesIn: (place: SessionPlace) => Change[]): void {
    if (sessionId !== this.#goneSessionId && sessionId !== this.#copySessionId) this.#told.push({ sessionId, changesIn });
  }

  async #findAgentsOf(memories: readonly { readonly sessionId: string }[]): Promise<void> {
    const sessionIds = [...new Set(memories.map(({ sessionId }) => sessionId))].filter((id) => !this.#agents.has(id));
    for (let start = 0; start < sessionIds.length; start += ROWS_AT_ONCE) {
      const found = await this.#tx.query(sql<{ id: string; agentId: string }>`
        select id, agent_id as "agentId" from sessions
        where workspace_id = ${this.#workspaceId} and id in ${list(sessionIds.slice(start, start + ROWS_AT_ONCE))}`);
      for (const { id, agentId } of found) this.#agents.set(id, agentId);
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
