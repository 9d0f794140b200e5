/** The messages that wait to be looked at, and how it stands with each session. */
import type { ExtractionStatus } from '@commonplace/contract/memories';
import { timestamp } from '../../clock.ts';
import type { Queryable } from '../../db/database.ts';
import { shape } from '../../db/shape.ts';
import { asId, list, raw, type Sql, sql } from '../../db/sql.ts';
import { notFound } from '../../errors.ts';
import { type NewMessageQueue, undistributedToExtract } from '../../search/new-messages.ts';
import { isSession, requireMessageCount, type SessionPlace } from '../../sessions/store.ts';
import { markForRegeneration } from '../statements.ts';
import type { SourceMessage } from './extractor.ts';
import { excerptColumn } from './messages.ts';

/** New messages that are to be looked at. */
export const queueForExtraction: NewMessageQueue = (these) => sql`
  insert into extraction_queue (workspace_id, session_id, message_id, created_at)
  select workspace_id, session_id, message_id, created_at from new_messages where ${these} and extracts = ${true}
  on conflict (workspace_id, session_id, message_id) do nothing`;

/** Below all ids. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const SESSIONS_LOOKED_AT = 100;
const WORKSPACES_AT_ONCE = 1_000;
const FAILURES_SHOWN = 20;
const MOST_COUNTED = 100_000;
const DELETED_AT_ONCE = 500;

/** A message with the time at which it was queued, which tells a later edit from what was read. */
export interface QueuedMessage extends SourceMessage {
  readonly queuedAt: string;
}

/** Steps through the distinct values of a column of the index of what waits, whatever the queue's length. */
function stepped(column: string, within: Sql, after: string, limit: number): Sql<{ id: string }> {
  const name = raw(column);
  const next = (from: Sql) =>
    sql`select q.${name} from extraction_queue q where q.failed_at is null and ${within} and q.${name} > ${from} order by q.${name} limit 1`;
  return sql<{ id: string }>`
    with recursive w (id) as (
      select * from (${next(asId(after))}) first
      union all
      select (${next(raw('w.id'))}) from w where w.id is not null)
    select id from w where id is not null limit ${limit}`;
}

export async function waitingWorkspaces(db: Queryable): Promise<string[]> {
  const found = await db.query(stepped('workspace_id', sql`1 = 1`, FIRST_ID, WORKSPACES_AT_ONCE));
  return found.map(({ id }) => id);
}

export interface WaitingSession extends SessionPlace {
  readonly attempts: number;
  /** After a failure it is left alone until then. */
  readonly retryAt: string | null;
  /** When its newest and its oldest message were queued, nearly. */
  readonly newestAt: string;
  readonly oldestAt: string;
}

/** The next sessions of a workspace after one of them, but for those that are rebuilt, and where to go on. */
export async function waitingSessions(
  db: Queryable,
  workspaceId: string,
  after: string | undefined,
): Promise<{ sessions: WaitingSession[]; last: string | undefined }> {
  const found = await db.query(stepped('session_id', sql`q.workspace_id = ${workspaceId}`, after ?? FIRST_ID, SESSIONS_LOOKED_AT));
  if (found.length === 0) return { sessions: [], last: undefined };
  const ids = found.map(({ id }) => id);
  await dropSessionless(db, workspaceId, ids);
  const end = (order: string) => sql`(
    select q.created_at from extraction_queue q
    where q.workspace_id = s.workspace_id and q.session_id = s.id and q.failed_at is null order by q.message_id ${raw(order)} limit 1)`;
  const sessions = await db.query(sql<WaitingSession>`
    select s.workspace_id as "workspaceId", s.agent_id as "agentId", s.id as "sessionId", coalesce(x.attempts, 0) as attempts, x.retry_at as "retryAt",
      ${end('desc')} as "newestAt", ${end('asc')} as "oldestAt"
    from sessions s left join extraction_states x on x.workspace_id = s.workspace_id and x.session_id = s.id
    where s.workspace_id = ${workspaceId} and s.id in ${list(ids)} and x.regenerate_at is null
    order by s.id`);
  return { sessions, last: found.length < SESSIONS_LOOKED_AT ? undefined : ids.at(-1) };
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

const queued = shape<QueuedMessage>({ id: 'text', content: 'text', createdAt: 'time', queuedAt: 'time' });

/** The oldest of a session. Those that are no longer there, or no longer the user's, are dropped. */
export async function waitingMessages(db: Queryable, { workspaceId, sessionId }: SessionPlace, limit: number): Promise<QueuedMessage[]> {
  return db.query(sql<QueuedMessage>`
    select ${queued} from (
      select m.id, ${excerptColumn()}, m.created_at, q.created_at as queued_at from extraction_queue q
      join messages m on m.workspace_id = q.workspace_id and m.session_id = q.session_id and m.id = q.message_id and m.role = 'user'
      where q.workspace_id = ${workspaceId} and q.session_id = ${sessionId} and q.failed_at is null
      order by q.message_id limit ${limit}) w order by id`);
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

/** Some more; whatever failed before is made up for. */
export function recordExtracted({ workspaceId, sessionId }: SessionPlace, done: number, nowMs: number): Sql {
  return sql`
    insert into extraction_states (workspace_id, session_id, done, summarized, attempts, updated_at)
    values (${workspaceId}, ${sessionId}, ${done}, 0, 0, ${timestamp(nowMs)})
    on conflict (workspace_id, session_id) do update set done = extraction_states.done + excluded.done, attempts = 0, last_error = null,
      retry_at = null, updated_at = excluded.updated_at`;
}

/** To be tried again at a time. */
export function recordSessionFailure({ workspaceId, sessionId }: SessionPlace, error: string, retryAtMs: number, nowMs: number): Sql {
  return sql`
    insert into extraction_states (workspace_id, session_id, done, summarized, attempts, last_error, retry_at, updated_at)
    values (${workspaceId}, ${sessionId}, 0, 0, 1, ${error}, ${timestamp(retryAtMs)}, ${timestamp(nowMs)})
    on conflict (workspace_id, session_id) do update set attempts = extraction_states.attempts + 1, last_error = excluded.last_error,
      retry_at = excluded.retry_at, updated_at = excluded.updated_at`;
}

/** Given up: the others of its session go on. */
export function recordMessageFailure(place: SessionPlace, messageId: string, error: string, nowMs: number): Sql[] {
  const { workspaceId, sessionId } = place;
  return [
    sql`update extraction_queue set failed_at = ${timestamp(nowMs)}, error = ${error}
        where workspace_id = ${workspaceId} and session_id = ${sessionId} and message_id = ${messageId}`,
    recordExtracted(place, 0, nowMs),
  ];
}

/** What a rebuild looks at, and from when on nothing else is extracted. Gives how many messages that are. */
export async function requestRegeneration(db: Queryable, place: SessionPlace, nowMs: number): Promise<number> {
  const { workspaceId, sessionId } = place;
  const [, [counted]] = await db.batch([
    sql`select id from sessions where ${isSession(place)}`.orElse(() => notFound('Session')),
    sql<{ queued: number }>`
      select count(*) as queued from messages where workspace_id = ${workspaceId} and session_id = ${sessionId} and role = 'user'`,
    ...markForRegeneration(place, nowMs),
  ]);
  return Number(counted?.queued);
}

/** Rebuilds that no job will come back to, each with the reason why its last job was given up, if it was. */
export async function findStalledRegenerations(db: Queryable): Promise<(SessionPlace & { requestedAt: string; reason: string | null })[]> {
  return db.query(sql<SessionPlace & { requestedAt: string; reason: string | null }>`
    select x.workspace_id as "workspaceId", s.agent_id as "agentId", x.session_id as "sessionId", x.regenerate_at as "requestedAt", (
      select j.last_error from jobs j
      where j.kind = 'regenerate-memories' and j.key = cast(x.session_id as text) and j.failed_at >= x.regenerate_at
      order by j.failed_at desc limit 1) as reason
    from extraction_states x join sessions s on s.workspace_id = x.workspace_id and s.id = x.session_id
    where x.regenerate_at is not null and not exists (
      select 1 from jobs j where j.kind = 'regenerate-memories' and j.key = cast(x.session_id as text) and j.failed_at is null)
    limit 1000`);
}

/** When it was asked for; undefined where it is done, or the session is gone. */
export async function findRegenerationRequest(db: Queryable, { workspaceId, sessionId }: SessionPlace): Promise<string | undefined> {
  const row = await db.maybeOne(sql<{ at: string | null }>`
    select regenerate_at as at from extraction_states where workspace_id = ${workspaceId} and session_id = ${sessionId}`);
  return row?.at ?? undefined;
}

/** Nothing happens where it was asked for again meanwhile. */
export function finishRegeneration({ workspaceId, sessionId }: SessionPlace, requestedAt: string, done: number, error: string | null): Sql {
  return sql`
    update extraction_states set regenerate_at = null, done = ${done}, regenerate_error = ${error}
    where workspace_id = ${workspaceId} and session_id = ${sessionId} and regenerate_at = ${requestedAt}`;
}

export async function findSummarizedCount(db: Queryable, { workspaceId, sessionId }: SessionPlace): Promise<number> {
  const row = await db.maybeOne(sql<{ summarized: number }>`
    select summarized from extraction_states where workspace_id = ${workspaceId} and session_id = ${sessionId}`);
  return row?.summarized ?? 0;
}

export function recordSummary({ workspaceId, sessionId }: SessionPlace, messageCount: number): Sql {
  return sql`
    update extraction_states set summarized = ${messageCount} where workspace_id = ${workspaceId} and session_id = ${sessionId}`;
}

const failure = shape<{ messageId: string; error: string; failedAt: string }>({ messageId: 'text', error: 'text', failedAt: 'time' });

export async function extractionStatus(db: Queryable, place: SessionPlace, enabled: boolean): Promise<ExtractionStatus> {
  const { workspaceId, sessionId } = place;
  const own = sql`from extraction_queue where workspace_id = ${workspaceId} and session_id = ${sessionId}`;
  const counted = (condition: string) =>
    sql<{ total: number }>`select count(*) as total from (select 1 ${own} and ${raw(condition)} limit ${MOST_COUNTED}) c`;
  await requireMessageCount(db, place);
  const [states, pending, arrived, failed, failures] = await Promise.all([
    db.query(sql<{ done: number; lastError: string | null; retryAt: string | null; regenerateAt: string | null }>`
      select done, coalesce(last_error, regenerate_error) as "lastError", retry_at as "retryAt", regenerate_at as "regenerateAt" from extraction_states
      where workspace_id = ${workspaceId} and session_id = ${sessionId}`),
    db.query(counted('failed_at is null')),
    db.query(sql<{ total: number }>`
      select count(*) as total ${undistributedToExtract(place)}`),
    db.query(counted('failed_at is not null')),
    db.query(sql<{ messageId: string; error: string; failedAt: string }>`
      select ${failure} ${own} and failed_at is not null order by failed_at desc, message_id desc limit ${FAILURES_SHOWN}`),
  ]);
  const [state] = states;
  return {
    enabled,
    regenerating: state?.regenerateAt != null,
    pending: (pending[0]?.total ?? 0) + (arrived[0]?.total ?? 0),
    done: state?.done ?? 0,
    failed: failed[0]?.total ?? 0,
    lastError: state?.lastError ?? null,
    retryAt: state?.retryAt ?? null,
    failures,
  };
}
