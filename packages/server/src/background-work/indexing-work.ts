/** Documents that are indexed: their rows say what failed, the queue of jobs what runs. */
import { sql } from '../db/sql.ts';
import { reindexDocument } from '../documents/store.ts';
import { findWaitingJobs, isIn, isNotIn, type QueuedJob } from './running.ts';
import { type DescribedJob, isWithin, orderOf, type WorkSource } from './work-source.ts';

interface DocumentWork {
  readonly id: string;
  readonly title: string;
  readonly error: string | null;
  readonly attempts: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const documentStatus = { failed: 'failed', running: 'processing', waiting: 'processing' } as const;

export const indexingWork: WorkSource = {
  kind: 'index-document',

  ids({ workspaceId, running }, status, span) {
    const taken = [...running.indexing.keys()];
    const isMeant = { failed: sql`1 = 1`, running: isIn('id', taken), waiting: isNotIn('id', taken) }[status];
    return sql<{ id: string }>`
      select id from documents
      where workspace_id = ${workspaceId} and status = ${documentStatus[status]} and ${isMeant} and ${isWithin('id', status, span)}
      order by id ${orderOf(status)} limit ${span.limit}`;
  },

  async describe(db, { workspaceId, running }, status, ids) {
    const documents = await db.query(sql<DocumentWork>`
      select id, title, error, attempts, created_at as "createdAt", updated_at as "updatedAt" from documents
      where workspace_id = ${workspaceId} and status = ${documentStatus[status]} and ${isIn('id', ids)}`);
    const jobs: ReadonlyMap<string, QueuedJob> =
      status === 'waiting' ? await findWaitingJobs(db, 'index-document', ids) : status === 'running' ? running.indexing : new Map();
    return documents.map(({ id, title, error, ...document }): DescribedJob => {
      const job = jobs.get(id);
      return {
        subject: { type: 'document', id, title },
        attempts: job?.attempts ?? document.attempts,
        ...(error !== null && { error }),
        ...(job && status === 'waiting' && { runAt: job.runAt }),
        ...(job && status === 'running' && { startedAt: job.updatedAt }),
        createdAt: job?.createdAt ?? document.createdAt,
        updatedAt: document.updatedAt,
      };
    });
  },

  retry: (db, by, { workspaceId }, { id }, nowMs) => reindexDocument(db, by, { workspaceId, documentId: id }, nowMs, true),
};
