import type { APIPromise } from '../api-promise.ts';
import type { PageParams, PagePromise } from '../page.ts';
import type { RequestOptions } from '../transport.ts';
import type { Forgetting, Receipt } from '../types.ts';
import { WorkspaceResource } from './resource.ts';

const receipts = '/workspaces/{workspaceId}/receipts';

/** What was forgotten in a workspace: proof that it is gone. */
export class Receipts extends WorkspaceResource {
  /** Newest first. */
  list(query: PageParams = {}, options?: RequestOptions): PagePromise<Receipt> {
    return this.listing(receipts, { key: 'receipts', query }, options);
  }

  get(receiptId: string, options?: RequestOptions): APIPromise<Receipt> {
    return this.request('GET', `${receipts}/{receiptId}`, { ids: { receiptId } }, options);
  }

  /** Everything of a subject, for good: all sessions that have all of the labels, with what they said. Users only. */
  forget(body: Forgetting, options?: RequestOptions): APIPromise<Receipt> {
    return this.request('POST', '/workspaces/{workspaceId}/forget', { body, isRepeatable: true }, options);
  }
}
