/** The messages that wait to be looked at. */
import { timestamp } from '../../clock.ts';
import type { Database, Queryable } from '../../db/database.ts';
import { shape } from '../../db/shape.ts';
import { asId, list, raw, rows, type Sql, sql } from '../../db/sql.ts';
import { FIRST_WORKSPACE_ID, waitingWorkspaces } from '../../db/waiting-workspaces.ts';
import type { NewJob } from '../../jobs/queue.ts';
import { type NewMessageQueue, undistributedToExtract } from '../../outbox/distribution.ts';
import type { SessionPlace } from '../../sessions/store.ts';
import type { SourceMessage } from '../extraction/extractor.ts';
import { excerptColumn, withTurnsBefore } from './messages.ts';
import { type PersonTraits, personIdOf } from './people.ts';
import { inSession } from './rows.ts';

/** New messages that are to be looked at. */
export const queueForExtraction: NewMessageQueue = (messages) => sql`
  insert into extraction_queue (workspace_id, session_id, message_id, created_at)
  select workspace_id, session_id, message_id, created_at from ${messages} where extracts = ${true}
  on conflict (workspace_id, session_id, message_id) do nothing`;

/** Below all ids. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

const SESSIONS_LOOKED_AT = 100;

const WORKSPACES_AT_ONCE = 1_000;

const DELETED_AT_ONCE = 500;

/** A message with the time at which it was queued, which tells a later edit from what was read. */
export interface QueuedMessage extends SourceMessage {
  readonly queuedAt: string;
}

/** Steps through the sessions in the index of what waits, whatever the queue's length. */
function steppedSessions(workspaceId: string, after: string): Sql<{ id: string }> {
  const next = (from: Sql) => sql`
    select q.session_id from extraction_queue q
    where q.failed_at is null and q.workspace_id = ${asId(workspaceId)} and q.session_id > ${from} order by q.session_id limit 1`;
  return sql<{ id: string }>`
    with recursive w (id) as (
      select * from (${next(asId(after))}) first
      union all
      select (${next(raw('w.id'))}) from w where w.id is not null)
    select id from w where id is not null limit ${SESSIONS_LOOKED_AT}`;
}

export async function workspacesToExtract(db: Database): Promise<string[]> {
  const queue = { table: 'extraction_queue', condition: 'q.failed_at is null' };
  return waitingWorkspaces(db, queue, FIRST_WORKSPACE_ID, WORKSPACES_AT_ONCE);
}

export interface WaitingSession extends SessionPlace {
  readonly attempts: number;
  /** After a failure it is left alone until then. */
  readonly retryAt: string | null;
  /** When its newest and its oldest message were queued, nearly. */
  readonly newestAt: string;
  readonly oldestAt: string;
  /** Whose its memories are, where they are not its own. */
  readonly personId: string | null;
}

const waiting = shape<Omit<WaitingSession, 'personId'> & PersonTraits>({
  workspaceId: 'text',
  agentId: 'text',
  sessionId: 'text',
  attempts: 'integer',
  retryAt: 'time',
  newestAt: 'time',
  oldestAt: 'time',
  configs: 'json',
  labels: 'json',
});

/** The next sessions of a workspace after one of them, but for those that are regenerated, and where to go on. */
export async function waitingSessions(
  db: Queryable,
  workspaceId: string,
  after: string | undefined,
): Promise<{ sessions: WaitingSession[]; last: string | undefined }> {
  const found = await db.query(steppedSessions(workspaceId, after ?? FIRST_ID));
  if (found.length === 0) return { sessions: [], last: undefined };
  const ids = found.map(({ id }) => id);
  await dropSessionless(db, workspaceId, ids);
  const end = (order: string) => sql`(
    select q.created_at from extraction_queue q
    where q.workspace_id = ${asId(workspaceId)} and q.session_id = s.id and q.failed_at is null order by q.message_id ${raw(order)} limit 1)`;
  const sessions = await db.query(sql<Omit<WaitingSession, 'personId'> & PersonTraits>`
    select ${waiting} from (
      select s.workspace_id, s.agent_id, s.id as session_id, coalesce(x.attempts, 0) as attempts, x.retry_at,
        ${end('desc')} as newest_at, ${end('asc')} as oldest_at, a.configs, s.labels
      from sessions s left join agents a on a.workspace_id = s.workspace_id and a.id = s.agent_id
        left join extraction_states x on x.workspace_id = s.workspace_id and x.session_id = s.id
      where s.workspace_id = ${workspaceId} and s.id in ${list(ids)} and x.regenerate_at is null) w
    order by session_id`);
  const withPeople = sessions.map(({ configs, labels, ...session }) => ({
    ...session,
    personId: personIdOf({ agentId: session.agentId, configs, labels }),
  }));
  return { sessions: withPeople, last: found.length < SESSIONS_LOOKED_AT ? undefined : ids.at(-1) };
}

/** A message may be sorted into the queue after its session was deleted. */
async function dropSessionless(db: Queryable, workspaceId: string, sessionIds: readonly string[]): Promise<void> {
  const there = await db.query(
    sql<{ id: string }>`select id from sessions where workspace_id = ${workspaceId} and id in ${list(sessionIds)}`,
  );
  const gone = new Set(sessionIds).difference(new Set(there.map(({ id }) => id)));
  if (gone.size > 0)
    await db.run(sql`delete from extraction_queue where workspace_id = ${workspaceId} and session_id in ${list([...gone])}`);
}

const queued = shape<Omit<QueuedMessage, 'before'>>({ id: 'text', content: 'text', createdAt: 'time', queuedAt: 'time' });

/** The oldest of a session. Those that are no longer there, or no longer the user's, are dropped. */
export async function waitingMessages(db: Queryable, place: SessionPlace, limit: number): Promise<QueuedMessage[]> {
  const { workspaceId, sessionId } = place;
  const messages = await db.query(sql<Omit<QueuedMessage, 'before'>>`
    select ${queued} from (
      select m.id, ${excerptColumn()}, m.created_at, q.created_at as queued_at from extraction_queue q
      join messages m on m.workspace_id = q.workspace_id and m.session_id = q.session_id and m.id = q.message_id and m.role = 'user'
      where q.workspace_id = ${workspaceId} and q.session_id = ${sessionId} and q.failed_at is null
      order by q.message_id limit ${limit}) w order by id`);
  return withTurnsBefore(db, place, messages);
}

/** All of a session's, given up or not. */
export async function queuedIds(db: Queryable, { workspaceId, sessionId }: SessionPlace): Promise<{ id: string; queuedAt: string }[]> {
  return db.query(sql<{ id: string; queuedAt: string }>`
    select message_id as id, created_at as "queuedAt" from extraction_queue where workspace_id = ${workspaceId} and session_id = ${sessionId}`);
}

/** Where none of a session's queued messages is left to look at. */
export function clearEmptyQueue({ workspaceId, sessionId }: SessionPlace): Sql {
  return sql`
    delete from extraction_queue where workspace_id = ${workspaceId} and session_id = ${sessionId} and failed_at is null and not exists (
      select 1 from messages m where m.workspace_id = extraction_queue.workspace_id and m.session_id = extraction_queue.session_id
        and m.id = extraction_queue.message_id and m.role = 'user')`;
}

/** These were looked at. One that was edited meanwhile stays in the queue. */
export function dequeueMessages(
  { workspaceId, sessionId }: SessionPlace,
  messages: readonly Pick<QueuedMessage, 'id' | 'queuedAt'>[],
): Sql[] {
  const groups = [...Map.groupBy(messages, ({ queuedAt }) => queuedAt)].flatMap(([queuedAt, all]) =>
    Array.from({ length: Math.ceil(all.length / DELETED_AT_ONCE) }, (_, index) => ({
      queuedAt,
      some: all.slice(index * DELETED_AT_ONCE, (index + 1) * DELETED_AT_ONCE),
    })),
  );
  return groups.map(
    ({ queuedAt, some }) => sql`
      delete from extraction_queue where workspace_id = ${workspaceId} and session_id = ${sessionId} and created_at = ${queuedAt}
        and message_id in ${list(some.map(({ id }) => id))}`,
  );
}

/** The statement that goes with writing or editing messages of the user, where the agent extracts. */
export function enqueueExtraction({ workspaceId, sessionId }: SessionPlace, messageIds: readonly string[], nowMs: number): Sql {
  const now = timestamp(nowMs);
  return sql`
    insert into extraction_queue (workspace_id, session_id, message_id, created_at)
    values ${rows(messageIds.map((messageId) => [workspaceId, sessionId, messageId, now]))}
    on conflict (workspace_id, session_id, message_id) do update set created_at = excluded.created_at, failed_at = null, error = null`;
}

/** One for each workspace: its sessions share it, and nobody waits for another workspace's import. */
export function extractionJob(workspaceId: string): NewJob & { key: string } {
  return { kind: 'extract-memories', key: workspaceId, workspaceId, payload: {} };
}

/** Of messages that were deleted, or are looked at anew. */
export function dropQueued(place: SessionPlace, messageIds: readonly string[]): Sql {
  return sql`delete from extraction_queue where ${inSession(place)} and message_id in ${list(messageIds)}`;
}

/** Those of a session that nobody looked at yet. */
export async function findUnread(db: Queryable, place: SessionPlace): Promise<string[]> {
  const unread = await db.query(sql<{ id: string }>`
    select message_id as id from extraction_queue where ${inSession(place)} and failed_at is null
    union select message_id as id ${undistributedToExtract(place)}`);
  return unread.map(({ id }) => id);
}

/** They are not looked at again, unless someone asks for them or for all of the session. */
export function giveUpMessages(
  { workspaceId, sessionId }: SessionPlace,
  failures: readonly { messageId: string; reason: string; attempts: number }[],
  nowMs: number,
): Sql {
  const now = timestamp(nowMs);
  const values = failures.map(({ messageId, reason, attempts }) => [workspaceId, sessionId, messageId, now, now, reason, attempts]);
  return sql`
    insert into extraction_queue (workspace_id, session_id, message_id, created_at, failed_at, error, attempts)
    values ${rows(values)}
    on conflict (workspace_id, session_id, message_id)
    do update set failed_at = excluded.failed_at, error = excluded.error, attempts = excluded.attempts`;
}
