import type { APIPromise } from '../api-promise.ts';
import type { PageParams, PagePromise } from '../page.ts';
import type { RequestOptions, Transport } from '../transport.ts';
import type { Audit, Me as Caller, Invite, ListOwnAuditsQuery, UserChanges } from '../types.ts';
import { Resource } from './resource.ts';

const me = '/me';
const invites = '/invites';

/** The account or the key that calls. */
export class Me extends Resource {
  readonly invites: OwnInvites;
  readonly audits: OwnAudits;

  constructor(transport: Transport) {
    super(transport);
    this.invites = new OwnInvites(transport);
    this.audits = new OwnAudits(transport);
  }

  get(options?: RequestOptions): APIPromise<Caller> {
    return this.request('GET', me, {}, options);
  }

  update(body: UserChanges, options?: RequestOptions): APIPromise<Caller> {
    return this.request('PUT', me, { body }, options);
  }

  delete(options?: RequestOptions): APIPromise<void> {
    return this.request('DELETE', me, {}, options);
  }
}

/** Invites to the caller. */
export class OwnInvites extends Resource {
  list(query: PageParams = {}, options?: RequestOptions): PagePromise<Invite> {
    return this.listing(invites, { key: 'invites', query }, options);
  }

  accept(token: string, options?: RequestOptions): APIPromise<Invite> {
    return this.request('POST', `${invites}/{token}/accept`, { ids: { token } }, options);
  }

  reject(token: string, options?: RequestOptions): APIPromise<Invite> {
    return this.request('POST', `${invites}/{token}/reject`, { ids: { token } }, options);
  }
}

/** What happened to the caller’s own account. */
export class OwnAudits extends Resource {
  /** Newest first. */
  list(query: ListOwnAuditsQuery = {}, options?: RequestOptions): PagePromise<Audit> {
    return this.listing(`${me}/audits`, { key: 'audits', query }, options);
  }
}
