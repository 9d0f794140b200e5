/** What failed of a session waits again: at once where it is little, and otherwise the rest some at a time. */
import type { JobKind } from '@commonplace/contract/jobs';
import type { Clock } from '../clock.ts';
import type { Database, Transactable, Transaction } from '../db/database.ts';
import { conflict } from '../errors.ts';
import type { JobHandler } from '../jobs/job-handler.ts';
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
}

/** The first ones; a job sees to the rest. Throws where nothing failed. All in one transaction, so that of two at once one finds nothing. */
export async function retryTexts(db: Transactable, model: string, failed: FailedTexts, nowMs: number): Promise<void> {
  const { workspaceId, ...payload } = failed;
  await db.transaction(async (tx) => {
    let most = 0;
    for (const requeue of queuesOf(model, failed)) most = Math.max(most, (await requeue(tx, undefined, nowMs)).length);
    if (most === 0) throw conflict('The job has not failed');
    if (most === MOST_REQUEUED)
      await tx.run(enqueue({ kind: 'retry-texts', key: `${failed.kind} ${failed.sessionId}`, workspaceId, payload }, nowMs));
  });
}

export function retryRemainingTexts(db: Database, searcher: Searcher, clock: Clock): JobHandler {
  return {
    maxAttempts: 10,
    leaseMs: 60_000,
    concurrency: 1,
    run: async ({ workspaceId, payload }, signal) => {
      if (workspaceId === null) return;
      const failed = { workspaceId, ...(payload as Omit<FailedTexts, 'workspaceId'>) };
      for (const requeue of queuesOf(searcher.embedder.model, failed)) {
        // Always onwards: what fails again meanwhile is not tried again by this.
        for (let after: string | undefined; ; ) {
          signal.throwIfAborted();
          const ids = await db.transaction((tx) => requeue(tx, after, clock.nowMs()));
          if (ids.length < MOST_REQUEUED) break;
          after = ids.sort().at(-1);
        }
      }
    },
  };
}

/** Puts some of what failed, after one of them, where it waits. Which ones, up to the most. */
type Requeue = (tx: Transaction, after: string | undefined, nowMs: number) => Promise<string[]>;

function queuesOf(model: string, { kind, workspaceId, sessionId }: FailedTexts): Requeue[] {
  if (kind === 'extract-memories')
    return [(tx, after, nowMs) => requeueFailed(tx, { workspaceId, sessionId }, after, MOST_REQUEUED, nowMs)];
  return ['message', 'memory'].map((items) => (tx, after, nowMs) => {
    return requeueRefused(tx, { workspaceId, kind: items, scopeId: sessionId, model }, after, MOST_REQUEUED, nowMs);
  });
}
