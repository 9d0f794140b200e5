/** What imports that stopped have left goes, where nobody sends it again. */
import { type Clock, timestamp } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { forEachWorkspace } from '../db/each-workspace.ts';
import { newId } from '../db/ids.ts';
import { every, type JobHandler } from '../jobs/job-handler.ts';
import type { Log } from '../logging.ts';
import { claimLeftovers, removeStaged, STAGED_SESSIONS } from './store/staging.ts';

const LOOK_EVERY_MS = 10 * 60 * 1000;
/** Time enough to send it again. */
const KEPT_MS = 60 * 60 * 1000;

export function dropLeftovers(db: Database, clock: Clock, log: Log): JobHandler {
  return every(LOOK_EVERY_MS, async (_job, signal) => {
    const drop = async (workspaceId: string) => {
      const nowMs = clock.nowMs();
      for (const left of await claimLeftovers(db, workspaceId, newId(), timestamp(nowMs - KEPT_MS), timestamp(nowMs)))
        await removeStaged(db, left, nowMs, signal);
    };
    await forEachWorkspace(db, STAGED_SESSIONS, drop, log, signal);
  });
}
