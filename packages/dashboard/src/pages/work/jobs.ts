/** Jobs of the background, and what trying them again takes. */
import type { Job } from '@commonplace/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { forEachFewAtOnce } from '../../api/few-at-once.ts';
import { LIVE_MS } from '../../api/queries.ts';
import { isStatus } from '../../api/refusals.ts';
import { saysNoText } from '../knowledge/hopeless.ts';
import type { WorkSearch } from './search-params.ts';

export const JOBS_ON_A_PAGE = 50;

export const jobsQuery = (workspaceId: string, { status, kind, offset = 0 }: WorkSearch) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'jobs', { status, kind, offset }],
    queryFn: ({ signal }) => {
      const query = { limit: JOBS_ON_A_PAGE, offset, ...(status && { status }), ...(kind && { kind }) };
      return client.workspace(workspaceId).jobs.listWithCounts(query, { signal });
    },
    refetchInterval: LIVE_MS,
    placeholderData: keepPreviousData,
  });

/** The same file would fail again. */
export const isHopeless = ({ status, error }: Job): boolean => status === 'failed' && saysNoText(error);

/** More at once would be many requests; what is left stays failed, and can be retried again. */
export const MOST_RETRIED = 200;

/** Says how many were. What is not failed any more, or gone, needs no retry; a file without text fails each time. */
export async function retryFailed(workspaceId: string, kind: Job['kind'] | undefined): Promise<number> {
  const { jobs } = client.workspace(workspaceId);
  const ids: string[] = [];
  for await (const job of jobs.list({ status: 'failed', limit: 100, ...(kind && { kind }) })) {
    if (isHopeless(job)) continue;
    ids.push(job.id);
    if (ids.length === MOST_RETRIED) break;
  }
  let count = 0;
  await forEachFewAtOnce(ids, async (id) => {
    try {
      await jobs.retry(id);
      count++;
    } catch (error) {
      if (!isStatus(error, 409) && !isStatus(error, 404)) throw error;
    }
  });
  return count;
}
