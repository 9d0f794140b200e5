/** Sessions whose messages are looked at for memories: a job for all of the workspace does that, a few sessions in a turn. */
import { perEngine, raw, type Sql, sql } from '../db/sql.ts';
import { retryTexts } from './retrying.ts';
import { isIn, isNotIn } from './running.ts';
import { presentSessions, type SessionSubject, subjectColumns, subjectOf } from './session-subject.ts';
import { type DescribedJob, isNone, stepThrough, type WorkSource } from './work-source.ts';

/** SQLite would take the key of the table, past all that waits. */
const failedMessages = perEngine({
  sqlite: 'extraction_queue q indexed by extraction_queue_failed',
  postgres: 'extraction_queue q',
});
const waitingMessages = raw('extraction_queue q');

interface WaitingWork extends SessionSubject {
  readonly attempts: number | null;
  readonly lastError: string | null;
  readonly retryAt: string | null;
  readonly startedAt: string | null;
  readonly oldestAt: string | null;
  readonly newestAt: string | null;
}

interface FailedWork extends SessionSubject {
  readonly error: string | null;
  readonly attempts: number | null;
  readonly createdAt: string;
  readonly failedAt: string;
}

export const extractionWork: WorkSource = {
  kind: 'extract-memories',

  ids({ workspaceId, running }, status, span) {
    const inWorkspace = sql`q.workspace_id = ${workspaceId}`;
    if (status === 'failed')
      return stepThrough(
        { table: failedMessages, column: 'session_id', condition: sql`${inWorkspace} and q.failed_at is not null` },
        status,
        span,
      );
    if (status === 'running' && running.extraction.length === 0) return undefined;
    const hasNoFailed = isNone(sql`from ${failedMessages} where ${inWorkspace} and q.session_id = w.id and q.failed_at is not null`);
    const isRegenerated = sql`from extraction_states x where x.workspace_id = ${workspaceId} and x.session_id = w.id and x.regenerate_at is not null`;
    const taken = running.extraction;
    const isMeant = sql`${status === 'running' ? raw('1 = 1') : isNotIn('w.id', taken)} and ${isNone(isRegenerated)} and ${hasNoFailed}`;
    const isTaken = status === 'running' ? sql`and ${isIn('q.session_id', taken)}` : sql``;
    // Where none failed, all wait: no step has to look for one that does.
    const condition = sql`${inWorkspace} ${isTaken}`;
    return stepThrough({ table: waitingMessages, column: 'session_id', condition, isMeant }, status, span);
  },

  async describe(db, { workspaceId }, status, ids) {
    const session = sql`s.workspace_id = ${workspaceId} and ${isIn('s.id', ids)}`;
    const ofSession = sql`q.workspace_id = ${workspaceId} and q.session_id = s.id`;
    if (status === 'failed') {
      const found = await db.query(sql<FailedWork>`
        select ${subjectColumns}, f.error, f.attempts, f.created_at as "createdAt", f.failed_at as "failedAt" from ${presentSessions}
        join extraction_queue f on f.workspace_id = s.workspace_id and f.session_id = s.id and f.message_id = (
          select q.message_id from ${failedMessages} where ${ofSession} and q.failed_at is not null order by q.message_id desc limit 1)
        where ${session}`);
      return found.map(failedJob);
    }
    const queuedAt = (order: string): Sql =>
      sql`(select q.created_at from extraction_queue q where ${ofSession} and q.failed_at is null order by q.message_id ${raw(order)} limit 1)`;
    const found = await db.query(sql<WaitingWork>`
      select ${subjectColumns}, x.attempts, x.last_error as "lastError", x.retry_at as "retryAt", x.started_at as "startedAt",
        ${queuedAt('asc')} as "oldestAt", ${queuedAt('desc')} as "newestAt"
      from ${presentSessions} left join extraction_states x on x.workspace_id = s.workspace_id and x.session_id = s.id
      where ${session}`);
    return found.flatMap((row) => waitingJob(row, status === 'running'));
  },

  retry: (db, _by, { workspaceId, model }, { id }, nowMs) =>
    retryTexts(db, model, { kind: 'extract-memories', workspaceId, sessionId: id }, nowMs),
};

/** By the newest message that was given up. */
function failedJob(row: FailedWork): DescribedJob {
  const { error, attempts, createdAt, failedAt } = row;
  return { subject: subjectOf(row), attempts: attempts ?? 1, ...(error !== null && { error }), createdAt, updatedAt: failedAt };
}

function waitingJob(row: WaitingWork, isRunning: boolean): DescribedJob[] {
  const { attempts, lastError, retryAt, startedAt, oldestAt, newestAt } = row;
  if (oldestAt === null || newestAt === null) return [];
  return [
    {
      subject: subjectOf(row),
      attempts: attempts ?? 0,
      ...(lastError !== null && { error: lastError }),
      ...(!isRunning && retryAt !== null && { runAt: retryAt }),
      ...(isRunning && startedAt !== null && { startedAt }),
      createdAt: oldestAt,
      updatedAt: newestAt,
    },
  ];
}
