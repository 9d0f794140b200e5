import type { APIPromise } from '../api-promise.ts';
import { nextByOffset, type PagePromise } from '../page.ts';
import { spreadLabels } from '../paths.ts';
import type { RequestOptions } from '../transport.ts';
import type {
  ContextRequest,
  GetSessionByLabelsQuery,
  ListSessionsQuery,
  ModelContext,
  NewSession,
  Session,
  SessionChanges,
  SessionFork,
} from '../types.ts';
import { WorkspaceResource } from './resource.ts';

const sessions = '/workspaces/{workspaceId}/agents/{agentId}/sessions';
const session = `${sessions}/{sessionId}` as const;
const byLabels = `${sessions}/by-labels` as const;
const reserved = ['id', 'limit', 'offset'];

/** Your own id of a session; its labels, which then need only be among them; or exactly its labels alone. */
export type SessionSelector = GetSessionByLabelsQuery;

export class Sessions extends WorkspaceResource {
  create(agentId: string, body: NewSession = {}, options?: RequestOptions): APIPromise<Session> {
    return this.request('POST', sessions, { ids: { agentId }, body }, options);
  }

  /** The session with this `id`, or with exactly these `labels`; made where there is none yet. */
  open(agentId: string, body: NewSession, options?: RequestOptions): APIPromise<Session> {
    const headers = { prefer: 'resolution=ignore-duplicates' };
    return this.request('POST', sessions, { ids: { agentId }, body, headers }, options);
  }

  /** Last active first. `id` and labels filter together. */
  list(agentId: string, query: ListSessionsQuery = {}, options?: RequestOptions): PagePromise<Session> {
    return this.listing(
      sessions,
      { key: 'sessions', ids: { agentId }, query: spreadLabels(query, reserved), findNext: nextByOffset },
      options,
    );
  }

  /** By the internal id. */
  get(agentId: string, sessionId: string, options?: RequestOptions): APIPromise<Session> {
    return this.request('GET', session, { ids: { agentId, sessionId } }, options);
  }

  update(agentId: string, sessionId: string, body: SessionChanges, options?: RequestOptions): APIPromise<Session> {
    return this.request('PUT', session, { ids: { agentId, sessionId }, body }, options);
  }

  /** With its messages and memories. */
  delete(agentId: string, sessionId: string, options?: RequestOptions): APIPromise<void> {
    return this.request('DELETE', session, { ids: { agentId, sessionId } }, options);
  }

  getByLabels(agentId: string, selector: SessionSelector, options?: RequestOptions): APIPromise<Session> {
    return this.request('GET', byLabels, { ids: { agentId }, query: spreadLabels(selector, reserved) }, options);
  }

  updateByLabels(agentId: string, selector: SessionSelector, body: SessionChanges, options?: RequestOptions): APIPromise<Session> {
    return this.request('PUT', byLabels, { ids: { agentId }, query: spreadLabels(selector, reserved), body }, options);
  }

  deleteByLabels(agentId: string, selector: SessionSelector, options?: RequestOptions): APIPromise<void> {
    return this.request('DELETE', byLabels, { ids: { agentId }, query: spreadLabels(selector, reserved) }, options);
  }

  /** A copy up to a message, with messages and memories of its own. */
  fork(agentId: string, sessionId: string, body: SessionFork = {}, options?: RequestOptions): APIPromise<Session> {
    return this.request('POST', `${session}/fork`, { ids: { agentId, sessionId }, body }, options);
  }

  /** Everything that a model call needs, within a budget of tokens. */
  context(agentId: string, sessionId: string, body: ContextRequest = {}, options?: RequestOptions): APIPromise<ModelContext> {
    return this.request('POST', `${session}/context`, { ids: { agentId, sessionId }, body, changesNothing: true }, options);
  }
}
