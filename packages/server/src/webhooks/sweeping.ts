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

/** Those that are over. What is pending goes when its turn comes and its event is gone. */
export async function dropOldDeliveries(db: Database, beforeMs: number, log: Log, signal: AbortSignal): Promise<void> {
  const isOld = (workspaceId: string) => sql`workspace_id = ${workspaceId} and created_at < ${timestamp(beforeMs)} and status <> 'pending'`;
  await forEachWorkspace(
    db,
    { table: 'webhook_deliveries' },
    (workspaceId) => deleteInSteps(db, { table: 'webhook_deliveries', key: 'webhook_id, id', condition: isOld(workspaceId) }, signal),
    log,
    signal,
  );
}
