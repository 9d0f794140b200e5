/** The events of workspaces: which there are, in their order. */
import type { EventType } from '@commonplace/contract/events';
import { timestamp } from '../clock.ts';
import type { Database, Queryable } from '../db/database.ts';
import { forEachWorkspace } from '../db/each-workspace.ts';
import { shape } from '../db/shape.ts';
import { join, list, type Sql, sql } from '../db/sql.ts';
import type { Log } from '../logging.ts';
import { eventIdOf } from './ids.ts';

const DROPPED_AT_ONCE = 1_000;

/** An event as it is kept: what it is about, by name. */
export interface EventRow {
  readonly seq: number;
  readonly type: EventType;
  readonly agentId: string | null;
  readonly sessionId: string | null;
  readonly subjectId: string;
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly createdAt: string;
}
const columns = shape<EventRow>({
  seq: 'integer',
  type: 'text',
  agentId: 'text',
  sessionId: 'text',
  subjectId: 'text',
  data: 'json',
  createdAt: 'time',
});

export interface EventSelection {
  readonly afterSeq: number;
  /** All where it is undefined. */
  readonly types: readonly EventType[] | undefined;
  readonly sessionId?: string | undefined;
  /** Of other agents none; what belongs to no agent is not left out. */
  readonly agentIds?: readonly string[] | undefined;
}

/** Oldest first. */
export async function readEvents(
  db: Queryable,
  workspaceId: string,
  selection: EventSelection,
  limit: number,
  offset = 0,
): Promise<EventRow[]> {
  if (isNothing(selection)) return [];
  const page = sql`order by seq limit ${limit} offset ${offset}`;
  if (!isRare(selection)) return db.query(sql<EventRow>`select ${columns} from events where ${matchingOf(workspaceId, selection)} ${page}`);
  // Each type by its index, and the first of them all: those that are rare are not looked for among all messages.
  const parts = selection.types.map((type) => {
    const matching = matchingOf(workspaceId, { ...selection, types: [type] });
    return sql`select * from (select * from events where ${matching} order by seq limit ${limit + offset}) of_type`;
  });
  return db.query(sql<EventRow>`select ${columns} from (${join(parts, ' union all ')}) found ${page}`);
}

export async function countEvents(db: Queryable, workspaceId: string, selection: EventSelection): Promise<number> {
  if (isNothing(selection)) return 0;
  const [row] = await db.query(sql<{ total: number }>`select count(*) as total from events where ${matchingOf(workspaceId, selection)}`);
  return Number(row?.total ?? 0);
}

/** The id that it goes by. */
export function idOfEvent(workspaceId: string, { seq, createdAt }: Pick<EventRow, 'seq' | 'createdAt'>): string {
  return eventIdOf(workspaceId, seq, createdAt);
}

/** The number of the last event; 0 where there was none. */
export async function lastSeqOf(db: Queryable, workspaceId: string): Promise<number> {
  const head = await db.maybeOne(sql<{ seq: number }>`select last_seq as seq from event_heads where workspace_id = ${workspaceId}`);
  return Number(head?.seq ?? 0);
}

/** Of several workspaces at once; those that never had one are not among them. */
export async function lastSeqs(db: Queryable, workspaceIds: readonly string[]): Promise<Map<string, number>> {
  const found = await db.query(sql<{ id: string; seq: number }>`
    select workspace_id as id, last_seq as seq from event_heads where workspace_id in ${list(workspaceIds)}`);
  return new Map(found.map(({ id, seq }) => [id, Number(seq)]));
}

/** Those from before a moment, in steps. */
export async function dropOldEvents(db: Database, beforeMs: number, log: Log, signal: AbortSignal): Promise<void> {
  const before = timestamp(beforeMs);
  await forEachWorkspace(
    db,
    { table: 'events' },
    async (workspaceId) => {
      let dropped: number;
      do {
        signal.throwIfAborted();
        // The first ones are the oldest: of a workspace with none that old, a few rows are looked at.
        dropped = await db.run(sql`
          delete from events where workspace_id = ${workspaceId} and created_at < ${before} and seq in (
            select seq from events where workspace_id = ${workspaceId} order by seq limit ${DROPPED_AT_ONCE})`);
      } while (dropped === DROPPED_AT_ONCE);
    },
    log,
    signal,
  );
}

function isNothing({ types }: EventSelection): boolean {
  return types?.length === 0;
}

/** Whether it is found by type: messages are the many among which others would be looked for. */
function isRare(selection: EventSelection): selection is EventSelection & { types: readonly EventType[] } {
  const { types, sessionId } = selection;
  return sessionId === undefined && types !== undefined && types.length > 1 && !types.includes('message.created');
}

function matchingOf(workspaceId: string, { afterSeq, types, sessionId, agentIds }: EventSelection): Sql {
  const conditions = [sql`workspace_id = ${workspaceId} and seq > ${afterSeq}`];
  if (types) conditions.push(types.length === 1 ? sql`type = ${types[0] as string}` : sql`type in ${list(types)}`);
  // As the index on types says it.
  if (types && !types.includes('message.created')) conditions.push(sql`type <> 'message.created'`);
  if (sessionId !== undefined) conditions.push(sql`session_id = ${sessionId}`);
  if (agentIds) conditions.push(sql`(agent_id is null or agent_id in ${list(agentIds)})`);
  return join(conditions, ' and ');
}
