import type { APIPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import type { RequestOptions } from '../transport.ts';
import type { Agent, AgentChanges, AgentContextRequest, Forgetting, ListAgentsQuery, ModelContext, NewAgent, Receipt } from '../types.ts';
import { WorkspaceResource } from './resource.ts';

const agents = '/workspaces/{workspaceId}/agents';
const agent = `${agents}/{agentId}` as const;

export class Agents extends WorkspaceResource {
  create(body: NewAgent, options?: RequestOptions): APIPromise<Agent> {
    return this.request('POST', agents, { body }, options);
  }

  /** Newest first. */
  list(query: ListAgentsQuery = {}, options?: RequestOptions): PagePromise<Agent> {
    return this.listing(agents, { key: 'agents', query }, options);
  }

  get(agentId: string, options?: RequestOptions): APIPromise<Agent> {
    return this.request('GET', agent, { ids: { agentId } }, options);
  }

  update(agentId: string, body: AgentChanges, options?: RequestOptions): APIPromise<Agent> {
    return this.request('PUT', agent, { ids: { agentId }, body }, options);
  }

  /** With its sessions. */
  delete(agentId: string, options?: RequestOptions): APIPromise<void> {
    return this.request('DELETE', agent, { ids: { agentId } }, options);
  }

  /** What a model needs to know of one person, whom the labels name, across their sessions. */
  context(agentId: string, body: AgentContextRequest, options?: RequestOptions): APIPromise<ModelContext> {
    return this.request('POST', `${agent}/context`, { ids: { agentId }, body, changesNothing: true }, options);
  }

  /** Everything of a subject, for good: all sessions of the agent that have all of the labels, with what they said. Users only. */
  forget(agentId: string, body: Forgetting, options?: RequestOptions): APIPromise<Receipt> {
    return this.request('POST', `${agent}/forget`, { ids: { agentId }, body, isRepeatable: true }, options);
  }
}
