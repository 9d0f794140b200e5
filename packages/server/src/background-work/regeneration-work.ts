/** Sessions whose memories are made anew. */
import { raw, sql } from '../db/sql.ts';
import { REGENERATION_ATTEMPTS } from '../memories/store/extraction-state.ts';
import { retryRegeneration } from '../memories/store/retrying.ts';
import { findWaitingJobs, isIn, isNotIn } from './running.ts';
import { presentSessions, type SessionSubject, subjectColumns, subjectOf } from './session-subject.ts';
import { type DescribedJob, isWithin, orderOf, type WorkSource } from './work-source.ts';

interface RegenerationWork extends SessionSubject {
  readonly requestedAt: string | null;
  readonly givenUpAt: string | null;
  readonly givenUpRequestedAt: string | null;
  readonly error: string | null;
  readonly updatedAt: string;
}

const isFailed = raw('x.regenerate_error is not null and x.regenerate_at is null');
const isPending = raw('x.regenerate_at is not null');

export const regenerationWork: WorkSource = {
  kind: 'regenerate-memories',

  ids({ workspaceId, running }, status, span) {
    const taken = [...running.regeneration.keys()];
    const isMeant = {
      failed: isFailed,
      running: sql`${isPending} and ${isIn('x.session_id', taken)}`,
      waiting: sql`${isPending} and ${isNotIn('x.session_id', taken)}`,
    }[status];
    return sql<{ id: string }>`
      select x.session_id as id from extraction_states x
      where x.workspace_id = ${workspaceId} and ${isMeant} and ${isWithin('x.session_id', status, span)}
      order by x.session_id ${orderOf(status)} limit ${span.limit}`;
  },

  async describe(db, { workspaceId, running }, status, ids) {
    const found = await db.query(sql<RegenerationWork>`
      select ${subjectColumns}, x.regenerate_at as "requestedAt", x.regenerate_failed_at as "givenUpAt",
        x.regenerate_requested_at as "givenUpRequestedAt", x.regenerate_error as error, x.updated_at as "updatedAt"
      from ${presentSessions} join extraction_states x on x.workspace_id = s.workspace_id and x.session_id = s.id
      where s.workspace_id = ${workspaceId} and ${isIn('s.id', ids)} and ${status === 'failed' ? isFailed : isPending}`);
    if (status === 'failed') return found.map(failedJob);
    const jobs = status === 'running' ? running.regeneration : await findWaitingJobs(db, 'regenerate-memories', ids);
    return found.map((row): DescribedJob => {
      const job = jobs.get(row.id);
      const createdAt = row.requestedAt ?? row.updatedAt;
      return {
        subject: subjectOf(row),
        attempts: job?.attempts ?? 0,
        ...(job && job.lastError !== null && { error: job.lastError }),
        ...(job && status === 'waiting' && { runAt: job.runAt }),
        ...(job && status === 'running' && { startedAt: job.updatedAt }),
        createdAt,
        updatedAt: job?.updatedAt ?? createdAt,
      };
    });
  },

  retry: (db, _by, { workspaceId }, { id, agentId = '' }, nowMs) => retryRegeneration(db, { workspaceId, agentId, sessionId: id }, nowMs),
};

/** One that was given up before its times were kept has those of its session's state. */
function failedJob(row: RegenerationWork): DescribedJob {
  const { error, givenUpAt, givenUpRequestedAt, updatedAt } = row;
  return {
    subject: subjectOf(row),
    attempts: REGENERATION_ATTEMPTS,
    ...(error !== null && { error }),
    createdAt: givenUpRequestedAt ?? updatedAt,
    updatedAt: givenUpAt ?? updatedAt,
  };
}
