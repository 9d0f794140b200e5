import type { APIPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import type { RequestOptions } from '../transport.ts';
import type { Audit, ListAuditsQuery } from '../types.ts';
import { WorkspaceResource } from './resource.ts';

const audits = '/workspaces/{workspaceId}/audits';

/** Who did what in a workspace. */
export class Audits extends WorkspaceResource {
  /** Newest first. */
  list(query: ListAuditsQuery = {}, options?: RequestOptions): PagePromise<Audit> {
    return this.listing(audits, { key: 'audits', query }, options);
  }

  get(auditId: string, options?: RequestOptions): APIPromise<Audit> {
    return this.request('GET', `${audits}/{auditId}`, { ids: { auditId } }, options);
  }
}
