import type { APIPromise } from '../api-promise.ts';
import type { PageParams, PagePromise } from '../page.ts';
import type { RequestOptions } from '../transport.ts';
import type { AccessKey, CreatedAccessKey, NewAccessKey } from '../types.ts';
import { WorkspaceResource } from './resource.ts';

const keys = '/workspaces/{workspaceId}/keys';
const key = `${keys}/{keyId}` as const;

export class AccessKeys extends WorkspaceResource {
  /** The key is shown once. */
  create(body: NewAccessKey, options?: RequestOptions): APIPromise<CreatedAccessKey> {
    return this.request('POST', keys, { body }, options);
  }

  /** Newest first. */
  list(query: PageParams = {}, options?: RequestOptions): PagePromise<AccessKey> {
    return this.listing(keys, { key: 'keys', query }, options);
  }

  get(keyId: string, options?: RequestOptions): APIPromise<AccessKey> {
    return this.request('GET', key, { ids: { keyId } }, options);
  }

  delete(keyId: string, options?: RequestOptions): APIPromise<void> {
    return this.request('DELETE', key, { ids: { keyId } }, options);
  }
}
