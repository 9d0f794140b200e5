import type { APIPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import type { RequestOptions } from '../transport.ts';
import type { Job, JobPage, ListJobsQuery } from '../types.ts';
import { WorkspaceResource } from './resource.ts';

const jobs = '/workspaces/{workspaceId}/jobs';

/** What waits, runs and failed in the background. */
export class Jobs extends WorkspaceResource {
  /** What failed first, then what runs, then what waits. */
  list(query: ListJobsQuery = {}, options?: RequestOptions): PagePromise<Job> {
    return this.listing(jobs, { key: 'jobs', query }, options);
  }

  /** One page of the list, with how many jobs there are in each status. */
  listWithCounts(query: ListJobsQuery = {}, options?: RequestOptions): APIPromise<JobPage> {
    return this.request('GET', jobs, { query: { ...query } }, options);
  }

  /** Of a job that failed; any other is a `ConflictError`. */
  retry(jobId: string, options?: RequestOptions): APIPromise<Job> {
    return this.request('POST', `${jobs}/{jobId}/retry`, { ids: { jobId } }, options);
  }
}
