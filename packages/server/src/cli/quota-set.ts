/** `quota set`: limits of one workspace. Every node has heard of them when it ends, and reads them then. */
import { recordAudit } from '../audits/store.ts';
import { NO_LIMIT, type OwnLimits } from '../quotas/rules.ts';
import { MOST_OF_QUOTA } from '../quotas/settings.ts';
import { setOwnLimits } from '../quotas/store.ts';
import { type Arguments, exitCodes, textOf, UsageError } from './command.ts';
import { withCurrentDatabase } from './database.ts';
import { describeQuota, MEANWHILE, OPERATOR, workspaceIdOf } from './quota.ts';

export async function run(given: Arguments): Promise<number> {
  const workspaceId = workspaceIdOf(given);
  const limits = {
    messages: limitOf(given, 'messages', 0),
    documents: limitOf(given, 'documents', 0),
    bytes: limitOf(given, 'bytes', 0),
    requestsPerMinute: limitOf(given, 'requests-per-minute', 1),
  };
  const changes: Partial<OwnLimits> = Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined));
  if (Object.keys(changes).length === 0) throw new UsageError('a limit is needed');
  const text = await withCurrentDatabase(MEANWHILE, async (db) => {
    const nowMs = db.clock.nowMs();
    const audit = { workspaceId, action: 'quota.set', resourceId: workspaceId, detail: changes } as const;
    await db.batch([...setOwnLimits(workspaceId, changes, nowMs), recordAudit(OPERATOR, audit, nowMs)]);
    return describeQuota(db, workspaceId);
  });
  process.stdout.write(text);
  return exitCodes.done;
}

/** Undefined where it is not given, null for the default. */
function limitOf(given: Arguments, name: string, least: number): number | null | undefined {
  const text = textOf(given, name);
  if (text === undefined || text === 'default') return text && null;
  if (text === 'off') return NO_LIMIT;
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit >= least && limit <= MOST_OF_QUOTA) return limit;
  throw new UsageError(`--${name} takes a whole number from ${least} to ${MOST_OF_QUOTA}, "off" or "default"`);
}
