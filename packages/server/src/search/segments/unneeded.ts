/** What nobody needs any more of what is kept for search. */
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/database.ts';
import { every, type JobHandler } from '../../jobs/job-handler.ts';
import { dropOldChanges } from './changed-items.ts';
import { dropAbandonedSegments, dropUnusedSnapshots } from './store.ts';

const HOUR_MS = 3_600_000;
const UNUSED_MS = 30 * 24 * HOUR_MS;
/** Longer than a save takes. */
const ABANDONED_MS = HOUR_MS;
const CHANGES_KEPT_MS = 2 * 24 * HOUR_MS;

export function dropUnneededSnapshots(db: Database, clock: Clock): JobHandler {
  return every(HOUR_MS, async (_job, signal) => {
    const nowMs = clock.nowMs();
    await dropUnusedSnapshots(db, nowMs - UNUSED_MS, signal);
    await dropAbandonedSegments(db, nowMs - ABANDONED_MS, signal);
    await dropOldChanges(db, nowMs - CHANGES_KEPT_MS, signal);
  });
}
