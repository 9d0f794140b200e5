/**
 * New messages are only recorded, one after the other in one place, and distributed to the queues of the background later, many
 * at a time: a row in each queue would cost a write a page of its own for each of them.
 */
import { timestamp } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { DatabaseUnavailable } from '../db/errors.ts';
import { forUpdate, list, rows, type Sql, sql } from '../db/sql.ts';
import { FIRST_WORKSPACE_ID, waitingWorkspaces } from '../db/waiting-workspaces.ts';

const DISTRIBUTED_AT_ONCE = 256;
/** On Citus, where each takes a transaction of its own. */
const WORKSPACES_AT_ONCE = 64;

export interface NewMessageEntry {
  readonly workspaceId: string;
  readonly sessionId: string;
  readonly messageId: string;
  /** Whether memories are extracted from it. */
  readonly extracts: boolean;
}

/** The statement that goes with writing messages. */
export function recordNewMessages(entries: readonly NewMessageEntry[], nowMs: number): Sql {
  const now = timestamp(nowMs);
  const values = entries.map(({ workspaceId, sessionId, messageId, extracts }) => [workspaceId, sessionId, messageId, extracts, now]);
  return sql`insert into new_messages (workspace_id, session_id, message_id, extracts, created_at) values ${rows(values)}`;
}

/** Puts new messages into a queue; `these` is a condition on the rows of `new_messages`. What is in the queue already stays as it is. */
export type NewMessageQueue = (these: Sql) => Sql;

/** Those of a session that are to be extracted and in no queue yet. */
export function undistributedToExtract({ workspaceId, sessionId }: { workspaceId: string; sessionId: string }): Sql {
  return sql`from new_messages where workspace_id = ${workspaceId} and session_id = ${sessionId} and extracts = ${true}`;
}

export class NewMessages {
  readonly #db: Database;
  readonly #queues: readonly NewMessageQueue[];

  constructor(db: Database, queues: readonly NewMessageQueue[]) {
    this.#db = db;
    this.#queues = queues;
  }

  /** All that came until now. An item that was edited since is in its queue already. */
  async distribute(): Promise<void> {
    if (this.#db.isDistributed) await this.#distributeByWorkspace(Number.POSITIVE_INFINITY);
    else await this.#distributeAll(sql`1 = 1`);
  }

  async #distributeAll(among: Sql): Promise<number> {
    const newest = await this.#db.maybeOne(sql<{ position: number }>`
      select position from new_messages where ${among} order by position desc limit 1`);
    if (newest === undefined) return 0;
    // Others may distribute too, and leave nothing of a step: only what is left tells when it is done.
    const left = sql`select position from new_messages where ${among} and position <= ${newest.position} limit 1`;
    let distributed = 0;
    do distributed += await this.#distributeFirst(among);
    while ((await this.#db.maybeOne(left)) !== undefined);
    return distributed;
  }

  /** A step of it. How many there were, at most so many. */
  async distributeSome(): Promise<number> {
    if (this.#db.isDistributed) return this.#distributeByWorkspace(DISTRIBUTED_AT_ONCE);
    // Most often there is nothing, and nobody has to be kept from writing to learn that.
    if ((await this.#db.maybeOne(sql`select position from new_messages limit 1`)) === undefined) return 0;
    return this.#distributeFirst(sql`1 = 1`);
  }

  #distributeFirst(among: Sql): Promise<number> {
    return this.#db.transaction(async (tx) => {
      // Whoever distributes them already is waited for: what came is in the queues when this returns.
      const some = await tx.query(sql<{ position: number }>`
        select position from new_messages where ${among} order by position limit ${DISTRIBUTED_AT_ONCE}${forUpdate}`);
      if (some.length === 0) return 0;
      const these = sql`${among} and position in ${list(some.map(({ position }) => position))}`;
      await tx.batch([...this.#queues.map((queue) => queue(these)), sql`delete from new_messages where ${these}`]);
      return some.length;
    });
  }

  /** A transaction for each: it stays on the machine that has the workspace, and one that is down keeps nobody else's. */
  async #distributeByWorkspace(most: number): Promise<number> {
    let distributed = 0;
    let after: string | undefined = FIRST_WORKSPACE_ID;
    while (after !== undefined && distributed < most) {
      const workspaceIds: string[] = await waitingWorkspaces(this.#db, { table: 'new_messages' }, after, WORKSPACES_AT_ONCE);
      for (const workspaceId of workspaceIds) distributed += await this.#distributeOf(workspaceId);
      after = workspaceIds.length < WORKSPACES_AT_ONCE ? undefined : workspaceIds.at(-1);
    }
    return distributed;
  }

  async #distributeOf(workspaceId: string): Promise<number> {
    try {
      return await this.#distributeAll(sql`workspace_id = ${workspaceId}`);
    } catch (error) {
      // Its machine went down meanwhile: it is found again when that is back.
      if (error instanceof DatabaseUnavailable) return 0;
      throw error;
    }
  }

  async count(): Promise<number> {
    const [row] = await this.#db.query(sql<{ total: number }>`select count(*) as total from new_messages`);
    return row?.total ?? 0;
  }
}
