/** What was given up, once more. */
import { timestamp } from '../../clock.ts';
import type { Queryable, Transaction } from '../../db/database.ts';
import { nothing, raw, sql } from '../../db/sql.ts';
import { conflict } from '../../errors.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { SessionPlace } from '../../sessions/store.ts';
import { extractionJob } from './extraction-queue.ts';
import { enqueueRegeneration } from './extraction-state.ts';

/** Messages of a session are looked at again, the first after one of them. Which ones. */
export async function requeueFailed(
  tx: Transaction,
  { workspaceId, sessionId }: Pick<SessionPlace, 'workspaceId' | 'sessionId'>,
  after: string | undefined,
  limit: number,
  nowMs: number,
): Promise<string[]> {
  const isFailed = sql`workspace_id = ${workspaceId} and session_id = ${sessionId} and failed_at is not null
    ${after === undefined ? nothing : sql`and message_id > ${after}`}`;
  const now = timestamp(nowMs);
  const requeued = await tx.query(sql<{ id: string }>`
    update extraction_queue set failed_at = null, error = null, attempts = null, created_at = ${now}
    where ${isFailed} and message_id in (select message_id from extraction_queue where ${isFailed} order by message_id limit ${limit})
    returning message_id as id`);
  // No guard of a statement: what throws in a transaction ends it, and that nothing is left is no failure.
  if (requeued.length === 0) return [];
  await tx.batch([
    // Not after the pause that an earlier failure asked for.
    sql`update extraction_states set attempts = 0, last_error = null, retry_at = null, updated_at = ${now}
        where workspace_id = ${workspaceId} and session_id = ${sessionId} and retry_at is not null`,
    enqueue(extractionJob(workspaceId), nowMs),
  ]);
  return requeued.map(({ id }) => id);
}

const GIVEN_UP = raw('regenerate_error is not null and regenerate_at is null');

/** As `requestRegeneration`, where the last one was given up. */
export async function retryRegeneration(db: Queryable, place: SessionPlace, nowMs: number): Promise<void> {
  const now = timestamp(nowMs);
  await db.batch([
    sql`update extraction_states set regenerate_at = ${now}, regenerate_error = null, attempts = 0, last_error = null, retry_at = null,
          started_at = null, updated_at = ${now}
        where workspace_id = ${place.workspaceId} and session_id = ${place.sessionId} and ${GIVEN_UP}`.orElse(() =>
      conflict('The job has not failed'),
    ),
    enqueueRegeneration(place, nowMs),
  ]);
}
