import type { APIPromise } from '../api-promise.ts';
import type { PageParams, PagePromise } from '../page.ts';
import type { RequestOptions } from '../transport.ts';
import type { CreatedInvite, Invite, NewInvite } from '../types.ts';
import { WorkspaceResource } from './resource.ts';

const invites = '/workspaces/{workspaceId}/invites';
const invite = `${invites}/{inviteId}` as const;

/** Of a workspace. Those to the caller: `commonplace.me.invites`. */
export class Invites extends WorkspaceResource {
  /** The token is shown once. */
  create(body: NewInvite, options?: RequestOptions): APIPromise<CreatedInvite> {
    return this.request('POST', invites, { body }, options);
  }

  /** Newest first. */
  list(query: PageParams = {}, options?: RequestOptions): PagePromise<Invite> {
    return this.listing(invites, { key: 'invites', query }, options);
  }

  get(inviteId: string, options?: RequestOptions): APIPromise<Invite> {
    return this.request('GET', invite, { ids: { inviteId } }, options);
  }

  delete(inviteId: string, options?: RequestOptions): APIPromise<void> {
    return this.request('DELETE', invite, { ids: { inviteId } }, options);
  }
}
