/** What was given up, once more. */
import { timestamp } from '../../clock.ts';
import type { Queryable } from '../../db/database.ts';
import { nothing, raw, sql } from '../../db/sql.ts';
import { conflict } from '../../errors.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { SessionPlace } from '../../sessions/store.ts';
import { extractionJob } from './extraction-queue.ts';
import { enqueueRegeneration } from './extraction-state.ts';

class NoneFailed extends Error {}

/** Messages of a session are looked at again, the first after one of them. Which ones. */
export async function requeueFailed(
  db: Queryable,
  { workspaceId, sessionId }: Pick<SessionPlace, 'workspaceId' | 'sessionId'>,
  after: string | undefined,
  limit: number,
  nowMs: number,
): Promise<string[]> {
  const isFailed = sql`workspace_id = ${workspaceId} and session_id = ${sessionId} and failed_at is not null
    ${after === undefined ? nothing : sql`and message_id > ${after}`}`;
  const now = timestamp(nowMs);
  const requeued = db.batch([
    sql<{ id: string }>`
      update extraction_queue set failed_at = null, error = null, attempts = null, created_at = ${now}
      where ${isFailed} and message_id in (select message_id from extraction_queue where ${isFailed} order by message_id limit ${limit})
      returning message_id as id`.orElse(() => new NoneFailed()),
    // Not after the pause that an earlier failure asked for.
    sql`update extraction_states set attempts = 0, last_error = null, retry_at = null, updated_at = ${now}
        where workspace_id = ${workspaceId} and session_id = ${sessionId} and retry_at is not null`,
    enqueue(extractionJob(workspaceId), nowMs),
  ]);
  try {
    return (await requeued)[0].map(({ id }) => id);
  } catch (error) {
    if (error instanceof NoneFailed) return [];
    throw error;
  }
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
