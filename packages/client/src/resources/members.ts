import type { APIPromise } from '../api-promise.ts';
import type { PageParams, PagePromise } from '../page.ts';
import type { RequestOptions } from '../transport.ts';
import type { Member, MemberChanges } from '../types.ts';
import { WorkspaceResource } from './resource.ts';

const members = '/workspaces/{workspaceId}/members';
const member = `${members}/{userId}` as const;

export class Members extends WorkspaceResource {
  /** In the order in which they joined. */
  list(query: PageParams = {}, options?: RequestOptions): PagePromise<Member> {
    return this.listing(members, { key: 'members', query }, options);
  }

  update(userId: string, body: MemberChanges, options?: RequestOptions): APIPromise<Member> {
    return this.request('PUT', member, { ids: { userId }, body }, options);
  }

  delete(userId: string, options?: RequestOptions): APIPromise<void> {
    return this.request('DELETE', member, { ids: { userId }, takesAccess: true }, options);
  }
}
