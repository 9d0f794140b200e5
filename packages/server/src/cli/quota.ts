/** What the commands about quotas share: which workspace, who changes it, and how its limits read. */
import pino from 'pino';
import type { Actor } from '../auth/callers.ts';
import { readConfig } from '../config.ts';
import type { Database } from '../db/database.ts';
import { isId } from '../db/ids.ts';
import { limitsFrom, type OwnLimits, type Quota } from '../quotas/rules.ts';
import { findOwnLimits } from '../quotas/store.ts';
import { StoredAmounts } from '../workspaces/stored-amounts.ts';
import { type Arguments, UsageError } from './command.ts';

export const MEANWHILE = 'Stop the service first, or use PostgreSQL, where limits change while it runs.';

export const OPERATOR: Actor = { type: 'system', id: 'operator', name: 'Operator', address: 'local', requestId: 'command line' };

export function workspaceIdOf({ positionals }: Arguments): string {
  const [workspaceId = ''] = positionals;
  if (!isId(workspaceId.toLowerCase())) throw new UsageError('<workspace> is the id of a workspace, a UUID');
  return workspaceId.toLowerCase();
}

const names: Readonly<Record<Quota, string>> = {
  messages: 'messages',
  documents: 'documents',
  bytes: 'bytes',
  requestsPerMinute: 'requests a minute',
};

/** A line for each limit: what is used, of what, and whose limit it is. */
export async function describeQuota(db: Database, workspaceId: string): Promise<string> {
  const own: OwnLimits | undefined = await findOwnLimits(db, workspaceId);
  const limits = limitsFrom(readConfig(process.env).quotas, own);
  const amounts = new StoredAmounts(db, pino({ level: 'silent' }));
  const used = await amounts.count(workspaceId, { messages: 0, documents: 0, bytes: 0 }, false);
  await amounts.close();
  const lines = (Object.keys(names) as Quota[]).map((quota) => {
    const limit = limits[quota];
    const whose = own?.[quota] == null ? 'default' : 'its own';
    const most = limit === undefined ? 'no limit' : limit.toLocaleString('en-US');
    const there = quota === 'requestsPerMinute' ? '' : `${used[quota].toLocaleString('en-US')} of `;
    return `${names[quota].padEnd(20)}${there}${most} (${whose})\n`;
  });
  return lines.join('');
}
