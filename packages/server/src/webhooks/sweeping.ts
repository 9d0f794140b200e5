/** What is left to do for webhooks now and then: finding what was missed, and dropping what is old or gone. */
import { type Clock, timestamp } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { deleteInSteps } from '../db/deletion.ts';
import { forEachWorkspace } from '../db/each-workspace.ts';
import { sql } from '../db/sql.ts';
import { FIRST_WORKSPACE_ID } from '../db/waiting-workspaces.ts';
import { every, type JobHandler } from '../jobs/job-handler.ts';
import type { Log } from '../logging.ts';
import { wakeWebhooks } from './queue-store.ts';

const SWEPT_EVERY_MS = 30_000;
const WORKSPACES_AT_ONCE = 200;
const DROPPED_AT_ONCE = 1_000;

/** Events whose publisher stopped before it could tell anybody of them. */
export function wakeForgottenWebhooks(db: Database, clock: Clock): JobHandler {
  return every(SWEPT_EVERY_MS, async (_job, signal) => {
    let after = FIRST_WORKSPACE_ID;
    for (;;) {
      signal.throwIfAborted();
      const some: { id: string }[] = await db.query(sql<{ id: string }>`
        select distinct workspace_id as id from webhooks
        where workspace_id > ${after} and status = 'active' order by workspace_id limit ${WORKSPACES_AT_ONCE}`);
      const ids = some.map(({ id }) => id);
      if (ids.length > 0) await wakeWebhooks(db, ids, clock.nowMs());
      if (ids.length < WORKSPACES_AT_ONCE) return;
      after = ids.at(-1) as string;
    }
  });
}

/** Removes what a deleted webhook left behind. */
export function purgeWebhook(db: Database): JobHandler {
  return {
    maxAttempts: 20,
    leaseMs: 60_000,
    run: async ({ workspaceId, payload }, signal) => {
      if (workspaceId === null) return;
      const { webhookId } = payload as { webhookId: string };
      const condition = sql`workspace_id = ${workspaceId} and webhook_id = ${webhookId}`;
      await deleteInSteps(db, { table: 'webhook_deliveries', key: 'webhook_id, id', condition }, signal);
    },
  };
}

/**
 * Those that are over, and all of a webhook that has been disabled for as long: their events are gone as well. What is pending for an active one
 * goes when its turn comes and its event is not there.
 */
export async function dropOldDeliveries(db: Database, beforeMs: number, log: Log, signal: AbortSignal): Promise<void> {
  const before = timestamp(beforeMs);
  const drop = async (workspaceId: string) => {
    const condition = sql`workspace_id = ${workspaceId} and created_at < ${before} and status <> 'pending'`;
    await deleteInSteps(db, { table: 'webhook_deliveries', key: 'webhook_id, id', condition }, signal);
    const disabled = await db.query(sql<{ id: string }>`
      select id from webhooks where workspace_id = ${workspaceId} and status = 'disabled' and updated_at < ${before}`);
    for (const { id } of disabled) await dropPending(db, workspaceId, id, signal);
  };
  await forEachWorkspace(db, { table: 'webhook_deliveries' }, drop, log, signal);
}

/** The last of each line first: whenever it ends early, those that are left have a first one that is due. */
async function dropPending(db: Database, workspaceId: string, webhookId: string, signal: AbortSignal): Promise<void> {
  const pending = sql`from webhook_deliveries where workspace_id = ${workspaceId} and webhook_id = ${webhookId} and status = 'pending'`;
  let dropped: number;
  do {
    signal.throwIfAborted();
    dropped = await db.run(sql`delete ${pending} and id in (select id ${pending} order by seq desc limit ${DROPPED_AT_ONCE})`);
  } while (dropped === DROPPED_AT_ONCE);
}
