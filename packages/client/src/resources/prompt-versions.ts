import type { APIPromise } from '../api-promise.ts';
import type { PageParams, PagePromise } from '../page.ts';
import type { RequestOptions } from '../transport.ts';
import type { NewPromptVersion, PromptDiff, PromptVersion, PromptVersionChanges } from '../types.ts';
import { WorkspaceResource } from './resource.ts';

const versions = '/workspaces/{workspaceId}/prompts/{promptId}/versions';
const version = `${versions}/{promptVersionId}` as const;

export class PromptVersions extends WorkspaceResource {
  /** It becomes `latest`. */
  create(promptId: string, body: NewPromptVersion, options?: RequestOptions): APIPromise<PromptVersion> {
    return this.request('POST', versions, { ids: { promptId }, body }, options);
  }

  /** Highest number first. */
  list(promptId: string, query: PageParams = {}, options?: RequestOptions): PagePromise<PromptVersion> {
    return this.listing(versions, { key: 'versions', ids: { promptId }, query }, options);
  }

  get(promptId: string, promptVersionId: string, options?: RequestOptions): APIPromise<PromptVersion> {
    return this.request('GET', version, { ids: { promptId, promptVersionId } }, options);
  }

  update(promptId: string, promptVersionId: string, body: PromptVersionChanges, options?: RequestOptions): APIPromise<PromptVersion> {
    return this.request('PUT', version, { ids: { promptId, promptVersionId }, body }, options);
  }

  /** Deleting the last version deletes the prompt. */
  delete(promptId: string, promptVersionId: string, options?: RequestOptions): APIPromise<void> {
    return this.request('DELETE', version, { ids: { promptId, promptVersionId } }, options);
  }

  /** What changed from the first to the second. */
  diff(promptId: string, promptVersionId: string, otherVersionId: string, options?: RequestOptions): APIPromise<PromptDiff> {
    return this.request('GET', `${version}/diff/{otherVersionId}`, { ids: { promptId, promptVersionId, otherVersionId } }, options);
  }
}
