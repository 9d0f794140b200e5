/** Forgets sessions by their age, where an agent keeps them for so many days. */
import { listRetentions } from '../agents/store.ts';
import { type Clock, timestamp } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { forEachWorkspace } from '../db/each-workspace.ts';
import { FIRST_WORKSPACE_ID } from '../db/waiting-workspaces.ts';
import { every, type JobHandler } from '../jobs/job-handler.ts';
import type { Log } from '../logging.ts';
import type { Forgetter } from './forgetting.ts';

const EVERY_MS = 10 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
const AGENTS_AT_ONCE = 100;
/** Of one agent; then the others have their turn. Each time with a receipt. */
const SESSIONS_AT_ONCE = 500;

export function forgetByAge(db: Database, clock: Clock, forgetter: Forgetter, log: Log): JobHandler {
  return every(EVERY_MS, async (_job, signal) => {
    for (let isMore = true; isMore; ) {
      isMore = false;
      const forgetSome = async (workspaceId: string) => {
        isMore = (await forgetInWorkspace(db, clock, forgetter, workspaceId, signal)) || isMore;
      };
      await forEachWorkspace(db, { table: 'agent_retentions' }, forgetSome, log, signal);
    }
  });
}

/** Whether there may be more. */
async function forgetInWorkspace(db: Database, clock: Clock, forgetter: Forgetter, workspaceId: string, signal: AbortSignal) {
  let isMore = false;
  for (let afterId = FIRST_WORKSPACE_ID; ; ) {
    const agents = await listRetentions(db, workspaceId, afterId, AGENTS_AT_ONCE);
    for (const { agentId, days } of agents) {
      const since = timestamp(clock.nowMs() - days * DAY_MS);
      const forgotten = await forgetter.forgetInactive({ workspaceId, agentId }, since, SESSIONS_AT_ONCE, signal);
      isMore ||= forgotten >= SESSIONS_AT_ONCE;
    }
    if (agents.length < AGENTS_AT_ONCE) return isMore;
    afterId = agents.at(-1)?.agentId as string;
  }
}
