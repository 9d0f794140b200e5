/** From the outbox to where it goes: new messages to the queues of the background, and every change to the events of its workspace. */
import type { Database } from '../db/database.ts';
import { DatabaseUnavailable } from '../db/errors.ts';
import { forUpdate, join, list, perEngine, raw, type Sql, sql } from '../db/sql.ts';
import { FIRST_WORKSPACE_ID, waitingWorkspaces } from '../db/waiting-workspaces.ts';
import { publishEvents } from './publishing.ts';

const WRITES_AT_ONCE = 256;
/** Of the messages in them, unless one write has more. */
const MESSAGES_AT_ONCE = 1_024;
/** On Citus, where each takes a transaction of its own. */
const WORKSPACES_AT_ONCE = 64;

/**
 * Puts new messages into a queue. `messages` stands after `from`, and has workspace_id, session_id, message_id, extracts and created_at.
 * What is in the queue already stays as it is.
 */
export type NewMessageQueue = (messages: Sql) => Sql;

export interface Source {
  readonly table: string;
  /** How many messages a row holds. */
  readonly count: string;
  /** The messages of some rows, one by one. */
  messagesOf(these: Sql): Sql;
  /** What happened, change by change: with workspace_id, position, ordinal, type, agent_id, session_id, subject_id, data and created_at. */
  changesOf(these: Sql): Sql;
}

const writtenId = perEngine({ sqlite: 'm.value ->> 0', postgres: '(m.value ->> 0)::uuid' });
const writtenExtracts = perEngine({ sqlite: 'm.value ->> 1', postgres: "m.value ->> 1 = '1'" });
const writtenMessages = perEngine({
  sqlite: 'json_each(w.messages) m',
  postgres: 'jsonb_array_elements(w.messages::jsonb) with ordinality m (value, key)',
});

const outbox: Source = {
  table: 'outbox',
  count: 'message_count',
  messagesOf: (these) => messagesWrittenIn('outbox', these),
  changesOf: (these) => sql`(
    select w.workspace_id, w.position, 0 as ordinal, w.type, w.agent_id, w.session_id, w.subject_id, w.data, w.created_at
    from outbox w where ${these} and w.messages is null
    union all
    select w.workspace_id, w.position, m.key, w.type, w.agent_id, w.session_id, ${writtenId}, null, w.created_at
    from outbox w cross join ${writtenMessages} where ${these}) change`,
};

/** Of nodes of an earlier release: a row for each write of messages. */
const writes: Source = {
  table: 'message_writes',
  count: 'message_count',
  messagesOf: (these) => messagesWrittenIn('message_writes', these),
  changesOf: (these) => sql`(
    select w.workspace_id, w.position, m.key as ordinal, 'message.created' as type, s.agent_id, w.session_id, ${writtenId} as subject_id,
      null as data, w.created_at
    from message_writes w cross join ${writtenMessages} join sessions s on s.workspace_id = w.workspace_id and s.id = w.session_id
    where ${these}) change`,
};

/** Of nodes of a still earlier one: a row for each message. */
const singles: Source = {
  table: 'new_messages',
  count: '1',
  messagesOf: (these) =>
    sql`(select workspace_id, session_id, message_id, extracts, created_at from new_messages w where ${these}) new_message`,
  changesOf: (these) => sql`(
    select w.workspace_id, w.position, 0 as ordinal, 'message.created' as type, s.agent_id, w.session_id, w.message_id as subject_id,
      null as data, w.created_at
    from new_messages w join sessions s on s.workspace_id = w.workspace_id and s.id = w.session_id where ${these}) change`,
};

function messagesWrittenIn(table: 'outbox' | 'message_writes', these: Sql): Sql {
  return sql`(
    select w.workspace_id, w.session_id, ${writtenId} as message_id, ${writtenExtracts} as extracts, w.created_at
    from ${raw(table)} w cross join ${writtenMessages} where ${these}) new_message`;
}

const sources = [outbox, writes, singles];

/** Those of a session that are to be extracted and in no queue yet. */
export function undistributedToExtract({ workspaceId, sessionId }: { workspaceId: string; sessionId: string }): Sql {
  const ofSession = sql`w.workspace_id = ${workspaceId} and w.session_id = ${sessionId}`;
  const undistributed = sources.map((source) => sql`select message_id, extracts from ${source.messagesOf(ofSession)}`);
  return sql`from (${join(undistributed, ' union all ')}) undistributed where extracts = ${true}`;
}

export class Outbox {
  readonly #db: Database;
  readonly #queues: readonly NewMessageQueue[];
  readonly #keepsEvents: boolean;
  readonly #publishedListeners: ((workspaceIds: readonly string[]) => void)[] = [];

  /** `keepsEvents`: false where nobody is to read them. */
  constructor(db: Database, queues: readonly NewMessageQueue[], keepsEvents: boolean) {
    this.#db = db;
    this.#queues = queues;
    this.#keepsEvents = keepsEvents;
  }

  /** Called on the node that published events, after their commit. */
  onPublished(listener: (workspaceIds: readonly string[]) => void): void {
    this.#publishedListeners.push(listener);
  }

  /** All that came until now. An item that was edited since is in its queue already. */
  async distribute(): Promise<void> {
    for (const source of sources) {
      if (this.#db.isDistributed) await this.#distributeByWorkspace(source, Number.POSITIVE_INFINITY);
      else await this.#distributeAll(source, sql`1 = 1`);
    }
  }

  async #distributeAll(source: Source, among: Sql): Promise<number> {
    const table = raw(source.table);
    const newest = await this.#db.maybeOne(sql<{ position: number }>`
      select w.position from ${table} w where ${among} order by w.position desc limit 1`);
    if (newest === undefined) return 0;
    // Others may distribute too, and leave nothing of a step: only what is left tells when it is done.
    const left = sql`select w.position from ${table} w where ${among} and w.position <= ${newest.position} limit 1`;
    let distributed = 0;
    do distributed += await this.#distributeFirst(source, among);
    while ((await this.#db.maybeOne(left)) !== undefined);
    return distributed;
  }

  /** A step of it. How many there were. */
  async distributeSome(): Promise<number> {
    let distributed = 0;
    for (const source of sources) {
      if (this.#db.isDistributed) distributed += await this.#distributeByWorkspace(source, WRITES_AT_ONCE);
      // Most often there is nothing, and nobody has to be kept from writing to learn that.
      else if ((await this.#db.maybeOne(sql`select position from ${raw(source.table)} limit 1`)) !== undefined)
        distributed += await this.#distributeFirst(source, sql`1 = 1`);
    }
    return distributed;
  }

  async #distributeFirst(source: Source, among: Sql): Promise<number> {
    const { count, workspaceIds } = await this.#db.transaction(async (tx) => {
      // Whoever distributes them already is waited for: what came is in the queues when this returns.
      const found = await tx.query(sql<{ position: number; count: number }>`
        select w.position, ${raw(source.count)} as count from ${raw(source.table)} w
        where ${among} order by w.position limit ${WRITES_AT_ONCE}${forUpdate}`);
      if (found.length === 0) return { count: 0, workspaceIds: [] };
      let messages = 0;
      const some = found.filter(({ count }, index) => {
        messages += count;
        return index === 0 || messages <= MESSAGES_AT_ONCE;
      });
      const these = sql`${among} and w.position in ${list(some.map(({ position }) => position))}`;
      const queued = source.messagesOf(these);
      const queues = messages > 0 ? this.#queues.map((queue) => queue(queued)) : [];
      const answers = await tx.batch([
        ...queues,
        ...(this.#keepsEvents ? publishEvents(source.changesOf(these)) : []),
        sql`delete from ${raw(source.table)} as w where ${these}`,
      ]);
      const published = this.#keepsEvents ? (answers[queues.length] as { workspaceId: string }[]) : [];
      const workspaceIds = published.map(({ workspaceId }) => workspaceId);
      return { count: some.reduce((sum, write) => sum + write.count, 0), workspaceIds };
    });
    if (workspaceIds.length > 0) for (const listener of this.#publishedListeners) listener(workspaceIds);
    return count;
  }

  /** A transaction for each: it stays on the machine that has the workspace, and one that is down keeps nobody else's. */
  async #distributeByWorkspace(source: Source, most: number): Promise<number> {
    let distributed = 0;
    let after: string | undefined = FIRST_WORKSPACE_ID;
    while (after !== undefined && distributed < most) {
      const workspaceIds: string[] = await waitingWorkspaces(this.#db, { table: source.table }, after, WORKSPACES_AT_ONCE);
      for (const workspaceId of workspaceIds) distributed += await this.#distributeOf(source, workspaceId);
      after = workspaceIds.length < WORKSPACES_AT_ONCE ? undefined : workspaceIds.at(-1);
    }
    return distributed;
  }

  async #distributeOf(source: Source, workspaceId: string): Promise<number> {
    try {
      return await this.#distributeAll(source, sql`w.workspace_id = ${workspaceId}`);
    } catch (error) {
      // Its machine went down meanwhile: it is found again when that is back.
      if (error instanceof DatabaseUnavailable) return 0;
      throw error;
    }
  }

  async count(): Promise<number> {
    const counts = sources.map(({ table, count }) =>
      this.#db.query(sql<{ total: number }>`select coalesce(sum(${raw(count)}), 0) as total from ${raw(table)}`),
    );
    return (await Promise.all(counts)).reduce((sum, [row]) => sum + Number(row?.total ?? 0), 0);
  }
}
