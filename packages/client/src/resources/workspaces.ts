import type { APIPromise } from '../api-promise.ts';
import type { PageParams, PagePromise } from '../page.ts';
import type { RequestOptions } from '../transport.ts';
import type {
  GetWorkspaceSeriesQuery,
  Hit,
  NewWorkspace,
  Series,
  Usage,
  Workspace,
  WorkspaceChanges,
  WorkspaceSearch,
  WorkspaceStats,
} from '../types.ts';
import { Resource } from './resource.ts';

const workspaces = '/workspaces';
const workspace = `${workspaces}/{workspaceId}` as const;

/** Workspaces as such, for users with an API key. What is in one: `commonplace.workspace(id)`. */
export class Workspaces extends Resource {
  create(body: NewWorkspace, options?: RequestOptions): APIPromise<Workspace> {
    return this.request('POST', workspaces, { body }, options);
  }

  /** Newest first. */
  list(query: PageParams = {}, options?: RequestOptions): PagePromise<Workspace> {
    return this.listing(workspaces, { key: 'workspaces', query }, options);
  }

  get(workspaceId: string, options?: RequestOptions): APIPromise<Workspace> {
    return this.request('GET', workspace, { ids: { workspaceId } }, options);
  }

  update(workspaceId: string, body: WorkspaceChanges, options?: RequestOptions): APIPromise<Workspace> {
    return this.request('PUT', workspace, { ids: { workspaceId }, body }, options);
  }

  /** With everything in it. */
  delete(workspaceId: string, options?: RequestOptions): APIPromise<void> {
    return this.request('DELETE', workspace, { ids: { workspaceId }, takesAccess: true }, options);
  }

  /** How much of what is in it. */
  stats(workspaceId: string, options?: RequestOptions): APIPromise<WorkspaceStats> {
    return this.request('GET', `${workspace}/stats`, { ids: { workspaceId } }, options);
  }

  /** What happened in it over time: every step from that of `since` to that of `until`. */
  series(workspaceId: string, query: GetWorkspaceSeriesQuery, options?: RequestOptions): APIPromise<Series> {
    return this.request('GET', `${workspace}/stats/series`, { ids: { workspaceId }, query: { ...query } }, options);
  }

  /** What is used of which limit. */
  usage(workspaceId: string, options?: RequestOptions): APIPromise<Usage> {
    return this.request('GET', `${workspace}/usage`, { ids: { workspaceId } }, options);
  }

  /** Documents, memories and messages together, best first. */
  search(workspaceId: string, body: WorkspaceSearch, options?: RequestOptions): APIPromise<Hit[]> {
    const operation = { ids: { workspaceId }, body, changesNothing: true } as const;
    const answer: APIPromise<{ results: Hit[] }> = this.request('POST', `${workspace}/search`, operation, options);
    return answer.map(({ results }) => results);
  }
}
