/** What failed of a session waits again: at once where it is little, and otherwise some at a time. */
import type { JobKind } from '@commonplace/contract/jobs';
import { type Clock, timestamp } from '../clock.ts';
import type { Database, Transactable } from '../db/database.ts';
import { conflict } from '../errors.ts';
import { type JobHandler, JobUnfinished } from '../jobs/job-runner.ts';
import { enqueue } from '../jobs/queue.ts';
import { requeueFailed } from '../memories/store/retrying.ts';
import { requeueRefused } from '../search/refused-texts.ts';
import type { Searcher } from '../search/searcher.ts';

/** More would hold up the writes of others. */
const MOST_REQUEUED = 500;

export interface FailedTexts {
  readonly kind: Extract<JobKind, 'extract-memories' | 'embed-texts'>;
  readonly workspaceId: string;
  readonly sessionId: string;
  /** What fails after that is not tried again by this. */
  readonly failedBy: string;
}

/** The first ones; a job sees to the rest. Throws where nothing failed. */
export async function retryTexts(db: Transactable, model: string, place: Omit<FailedTexts, 'failedBy'>, nowMs: number): Promise<void> {
  const failed = { ...place, failedBy: timestamp(nowMs) };
  const count = await requeueSome(db, model, failed, nowMs);
  if (count === 0) throw conflict('The job has not failed');
  const { workspaceId, ...payload } = failed;
  if (count === MOST_REQUEUED)
    await db.run(enqueue({ kind: 'retry-texts', key: `${failed.kind} ${failed.sessionId}`, workspaceId, payload }, nowMs));
}

async function requeueSome(db: Transactable, model: string, failed: FailedTexts, nowMs: number): Promise<number> {
  const { kind, workspaceId, sessionId, failedBy } = failed;
  if (kind === 'extract-memories') return requeueFailed(db, { workspaceId, sessionId, failedBy }, MOST_REQUEUED, nowMs);
  return requeueRefused(db, { workspaceId, scopeId: sessionId, model, refusedBy: failedBy }, MOST_REQUEUED, nowMs);
}

export function retryRemainingTexts(db: Database, searcher: Searcher, clock: Clock): JobHandler {
  return {
    maxAttempts: 10,
    leaseMs: 60_000,
    concurrency: 1,
    run: async ({ workspaceId, payload }) => {
      if (workspaceId === null) return;
      const failed = { workspaceId, ...(payload as Omit<FailedTexts, 'workspaceId'>) };
      if ((await requeueSome(db, searcher.embedder.model, failed, clock.nowMs())) === MOST_REQUEUED) throw new JobUnfinished();
    },
  };
}
