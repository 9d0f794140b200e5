/** `quota clear`: the service's defaults hold again for a workspace. */
import { recordAudit } from '../audits/store.ts';
import { clearOwnLimits } from '../quotas/store.ts';
import { type Arguments, exitCodes } from './command.ts';
import { withCurrentDatabase } from './database.ts';
import { describeQuota, MEANWHILE, OPERATOR, workspaceIdOf } from './quota.ts';

export async function run(given: Arguments): Promise<number> {
  const workspaceId = workspaceIdOf(given);
  const text = await withCurrentDatabase(MEANWHILE, async (db) => {
    const audit = { workspaceId, action: 'quota.clear', resourceId: workspaceId } as const;
    await db.batch([...clearOwnLimits(workspaceId), recordAudit(OPERATOR, audit, db.clock.nowMs())]);
    return describeQuota(db, workspaceId);
  });
  process.stdout.write(text);
  return exitCodes.done;
}
