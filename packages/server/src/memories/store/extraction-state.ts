/** How it stands with the extraction of each session. */
import type { ExtractionStatus } from '@commonplace/contract/memories';
import { timestamp } from '../../clock.ts';
import type { Queryable } from '../../db/database.ts';
import { inWorkspace } from '../../db/each-workspace.ts';
import { shape } from '../../db/shape.ts';
import { list, perEngine, type Sql, sql } from '../../db/sql.ts';
import type { Queue } from '../../db/waiting-workspaces.ts';
import { notFound } from '../../errors.ts';
import { findAbandoned, MOST_LOOKED_AT } from '../../jobs/abandoned-work.ts';
import { enqueue } from '../../jobs/queue.ts';
import { undistributedToExtract } from '../../outbox/distribution.ts';
import { isSession, type SessionPlace } from '../../sessions/store.ts';
import { giveUpMessages } from './extraction-queue.ts';
import { findSessionPerson } from './people.ts';

/** A regeneration that failed so often is given up. */
export const REGENERATION_ATTEMPTS = 6;

const FAILURES_SHOWN = 20;
const MOST_COUNTED = 100_000;

/** Some more; whatever failed before is made up for. */
export function recordExtracted({ workspaceId, sessionId }: SessionPlace, done: number, nowMs: number): Sql {
  return sql`
    insert into extraction_states (workspace_id, session_id, done, summarized, attempts, updated_at)
    values (${workspaceId}, ${sessionId}, ${done}, 0, 0, ${timestamp(nowMs)})
    on conflict (workspace_id, session_id) do update set done = extraction_states.done + excluded.done, attempts = 0, last_error = null,
      retry_at = null, started_at = null, updated_at = excluded.updated_at`;
}

/** Their turn began, for those who watch; it ends with what comes of it. */
export function recordStarted(workspaceId: string, sessionIds: readonly string[], nowMs: number): Sql {
  const now = timestamp(nowMs);
  return sql`
    insert into extraction_states (workspace_id, session_id, done, summarized, attempts, started_at, updated_at)
    select workspace_id, id, 0, 0, 0, ${now}${asTime}, ${now}${asTime} from sessions where workspace_id = ${workspaceId} and id in ${list(sessionIds)}
    order by id
    on conflict (workspace_id, session_id) do update set started_at = excluded.started_at`;
}

const asTime = perEngine({ sqlite: '', postgres: '::timestamptz' });

/** To be tried again at a time. */
export function recordSessionFailure({ workspaceId, sessionId }: SessionPlace, error: string, retryAtMs: number, nowMs: number): Sql {
  return sql`
    insert into extraction_states (workspace_id, session_id, done, summarized, attempts, last_error, retry_at, updated_at)
    values (${workspaceId}, ${sessionId}, 0, 0, 1, ${error}, ${timestamp(retryAtMs)}, ${timestamp(nowMs)})
    on conflict (workspace_id, session_id) do update set attempts = extraction_states.attempts + 1, last_error = excluded.last_error,
      retry_at = excluded.retry_at, started_at = null, updated_at = excluded.updated_at`;
}

/** Given up: the others of its session go on. */
export function recordMessageFailure(
  place: SessionPlace,
  failure: { messageId: string; reason: string; attempts: number },
  nowMs: number,
): Sql[] {
  return [giveUpMessages(place, [failure], nowMs), recordExtracted(place, 0, nowMs)];
}

/** A regeneration of all that was extracted; nothing else is extracted until it is done. */
export function markForRegeneration(place: SessionPlace, nowMs: number): Sql[] {
  const now = timestamp(nowMs);
  return [
    sql`insert into extraction_states (workspace_id, session_id, done, summarized, attempts, regenerate_at, updated_at)
        values (${place.workspaceId}, ${place.sessionId}, 0, 0, 0, ${now}, ${now})
        on conflict (workspace_id, session_id) do update set regenerate_at = excluded.regenerate_at, regenerate_error = null, attempts = 0,
          last_error = null, retry_at = null, started_at = null, updated_at = excluded.updated_at`,
    enqueueRegeneration(place, nowMs),
  ];
}

export function enqueueRegeneration({ workspaceId, agentId, sessionId }: SessionPlace, nowMs: number): Sql {
  return enqueue({ kind: 'regenerate-memories', key: sessionId, workspaceId, payload: { agentId, sessionId } }, nowMs);
}

/** A summary is made again by a job, whether or not there are new messages. */
export function enqueueSummary({ workspaceId, sessionId }: SessionPlace, nowMs: number): Sql {
  return enqueue({ kind: 'summarize-session', key: sessionId, workspaceId, payload: { sessionId } }, nowMs);
}

/** What a regeneration looks at, and from when on nothing else is extracted. Gives how many messages that are. */
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

export const REGENERATIONS: Queue = { table: 'extraction_states', condition: 'q.regenerate_at is not null' };

/** Regenerations that no job will come back to, each with the reason why its last job was given up, if it was. */
export async function findStalledRegenerations(
  db: Queryable,
  workspaceId: string | undefined,
): Promise<(SessionPlace & { requestedAt: string; reason: string | null })[]> {
  const begun = await db.query(sql<SessionPlace & { key: string; requestedAt: string; begunAt: string }>`
    select x.workspace_id as "workspaceId", s.agent_id as "agentId", x.session_id as "sessionId", x.session_id as key,
      x.regenerate_at as "requestedAt", x.regenerate_at as "begunAt"
    from extraction_states x join sessions s on s.workspace_id = x.workspace_id and s.id = x.session_id
    where ${inWorkspace(workspaceId, 'x.workspace_id')} and x.regenerate_at is not null order by x.regenerate_at limit ${MOST_LOOKED_AT}`);
  return findAbandoned(db, 'regenerate-memories', begun);
}

/** When it was asked for; undefined where it is done, or the session is gone. */
export async function findRegenerationRequest(db: Queryable, { workspaceId, sessionId }: SessionPlace): Promise<string | undefined> {
  const row = await db.maybeOne(sql<{ at: string | null }>`
    select regenerate_at as at from extraction_states where workspace_id = ${workspaceId} and session_id = ${sessionId}`);
  return row?.at ?? undefined;
}

/** Nothing happens where it was asked for again meanwhile. */
export function finishRegeneration({ workspaceId, sessionId }: SessionPlace, requestedAt: string, done: number): Sql {
  return sql`
    update extraction_states set regenerate_at = null, done = ${done}, regenerate_error = null
    where workspace_id = ${workspaceId} and session_id = ${sessionId} and regenerate_at = ${requestedAt}`;
}

/**
 * What is there stays with whom it was, and extraction goes on for whom the session's messages are about now: asked for once more,
 * it would fail once more.
 */
export async function giveUpRegeneration(
  db: Queryable,
  place: SessionPlace,
  { requestedAt, reason }: { requestedAt: string; reason: string },
  nowMs: number,
): Promise<void> {
  const { workspaceId, sessionId } = place;
  const owner = await findSessionPerson(db, place);
  if (!owner) return;
  await db.run(sql`
    update extraction_states set regenerate_at = null, done = 0, regenerate_error = ${reason}, person_id = ${owner.personId},
      regenerate_requested_at = ${requestedAt}, regenerate_failed_at = ${timestamp(nowMs)}
    where workspace_id = ${workspaceId} and session_id = ${sessionId} and regenerate_at = ${requestedAt}`);
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
  // In one statement: a message that is moved to the queue between two of them would be in neither.
  const counts = await db.maybeOne(sql<{ pending: number; arrived: number; failed: number }>`
    select (select count(*) from (select 1 ${own} and failed_at is null limit ${MOST_COUNTED}) p) as pending,
      (select count(*) ${undistributedToExtract(place)}) as arrived,
      (select count(*) from (select 1 ${own} and failed_at is not null limit ${MOST_COUNTED}) f) as failed
    from sessions where ${isSession(place)}`);
  if (!counts) throw notFound('Session');
  // After it: a regeneration that begins meanwhile shows.
  const [state, failures] = await Promise.all([
    db.maybeOne(sql<{ done: number; lastError: string | null; retryAt: string | null; regenerateAt: string | null }>`
      select done, coalesce(last_error, regenerate_error) as "lastError", retry_at as "retryAt", regenerate_at as "regenerateAt" from extraction_states
      where workspace_id = ${workspaceId} and session_id = ${sessionId}`),
    db.query(sql<{ messageId: string; error: string; failedAt: string }>`
      select ${failure} ${own} and failed_at is not null order by failed_at desc, message_id desc limit ${FAILURES_SHOWN}`),
  ]);
  return {
    enabled,
    regenerating: state?.regenerateAt != null,
    pending: counts.pending + counts.arrived,
    done: state?.done ?? 0,
    failed: counts.failed,
    lastError: state?.lastError ?? null,
    retryAt: state?.retryAt ?? null,
    failures,
  };
}
