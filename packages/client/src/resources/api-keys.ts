import type { APIPromise } from '../api-promise.ts';
import type { PageParams, PagePromise } from '../page.ts';
import type { RequestOptions } from '../transport.ts';
import type { ApiKey, CreatedApiKey, NewApiKey } from '../types.ts';
import { Resource } from './resource.ts';

const keys = '/apiKeys';
const key = `${keys}/{apiKeyId}` as const;

/** The caller’s own. */
export class ApiKeys extends Resource {
  /** The key is shown once. */
  create(body: NewApiKey, options?: RequestOptions): APIPromise<CreatedApiKey> {
    return this.request('POST', keys, { body }, options);
  }

  /** Newest first. */
  list(query: PageParams = {}, options?: RequestOptions): PagePromise<ApiKey> {
    return this.listing(keys, { key: 'keys', query }, options);
  }

  get(apiKeyId: string, options?: RequestOptions): APIPromise<ApiKey> {
    return this.request('GET', key, { ids: { apiKeyId } }, options);
  }

  delete(apiKeyId: string, options?: RequestOptions): APIPromise<void> {
    return this.request('DELETE', key, { ids: { apiKeyId } }, options);
  }
}
