/** Limits of one workspace for tests, in force when it resolves. */
import type { OwnLimits } from '../src/quotas/rules.ts';
import { setOwnLimits } from '../src/quotas/store.ts';
import type { Client, TestApi } from './api.ts';

export async function limitWorkspace(api: TestApi, workspaceId: string, limits: Partial<OwnLimits>): Promise<void> {
  await api.db.batch(setOwnLimits(workspaceId, limits, api.clock.nowMs()));
  await api.app.context.quotas.settled();
}

/** So that what was freed makes room at once on a slow machine too, where counts take long and are made less often. */
export function letCountsRest(api: TestApi): void {
  api.clock.advance(60_000);
}

interface OfLimit {
  readonly used: number;
  readonly limit: number | null;
}

/** What of its usage there can be a limit of, as of now: counts are kept for some seconds, or for longer on a slow machine. */
export async function readUsage(api: TestApi, { url, owner }: { readonly url: string; readonly owner: Client }) {
  letCountsRest(api);
  const { stored, requestsPerMinute } = (await owner.get(`${url}/usage`)).body;
  const { messages, documents, bytes } = stored as Record<'messages' | 'documents' | 'bytes', OfLimit>;
  return { messages, documents, bytes, requestsPerMinute: requestsPerMinute as OfLimit };
}
