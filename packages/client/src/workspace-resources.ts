/** What is in one workspace. */
import { APIPromise } from './api-promise.ts';
import { CommonplaceError } from './errors.ts';
import { Agent } from './handles/agent.ts';
import { AgentIds } from './handles/agent-ids.ts';
import type { AgentPlace } from './handles/place.ts';
import type { LivePrompts } from './live-prompts.ts';
import type { PromptCache } from './prompt-cache.ts';
import { AccessKeys } from './resources/access-keys.ts';
import { Agents } from './resources/agents.ts';
import { Audits } from './resources/audits.ts';
import { Documents } from './resources/documents.ts';
import { Events } from './resources/events.ts';
import { Invites } from './resources/invites.ts';
import { Jobs } from './resources/jobs.ts';
import { Members } from './resources/members.ts';
import { Memories } from './resources/memories.ts';
import { Messages } from './resources/messages.ts';
import { Prompts } from './resources/prompts.ts';
import { Receipts } from './resources/receipts.ts';
import { Sessions } from './resources/sessions.ts';
import { type ExportParams, type ImportParams, Transfers } from './resources/transfers.ts';
import { Webhooks } from './resources/webhooks.ts';
import { unlessAborted } from './retries.ts';
import { readVariable } from './settings.ts';
import type { RequestOptions, Transport } from './transport.ts';
import type { Forgetting, ImportResult, Receipt } from './types.ts';
import type { UploadSource } from './uploads.ts';
import type { WorkspaceScope } from './workspace-scope.ts';

export class WorkspaceResources {
  readonly agents: Agents;
  readonly sessions: Sessions;
  readonly messages: Messages;
  readonly memories: Memories;
  readonly prompts: Prompts;
  readonly documents: Documents;
  readonly accessKeys: AccessKeys;
  readonly members: Members;
  readonly invites: Invites;
  readonly audits: Audits;
  readonly events: Events;
  readonly receipts: Receipts;
  readonly jobs: Jobs;
  readonly webhooks: Webhooks;
  readonly #agentIds: AgentIds;
  readonly #transfers: Transfers;

  constructor(transport: Transport, scope: WorkspaceScope, promptCache: PromptCache, livePrompts?: LivePrompts) {
    this.events = new Events(transport, scope);
    this.agents = new Agents(transport, scope);
    this.sessions = new Sessions(transport, scope);
    this.messages = new Messages(transport, scope);
    this.memories = new Memories(transport, scope);
    this.prompts = new Prompts(transport, scope, promptCache, () => livePrompts?.watch(scope.key, this.events));
    this.documents = new Documents(transport, scope);
    this.accessKeys = new AccessKeys(transport, scope);
    this.members = new Members(transport, scope);
    this.invites = new Invites(transport, scope);
    this.audits = new Audits(transport, scope);
    this.receipts = new Receipts(transport, scope);
    this.jobs = new Jobs(transport, scope);
    this.webhooks = new Webhooks(transport, scope);
    this.#agentIds = new AgentIds(this.agents);
    this.#transfers = new Transfers(transport, scope);
  }

  /** All that is in the workspace, as JSON Lines to be read as they come. They are whole when the last line is a footer. */
  export(params?: ExportParams, options?: RequestOptions): APIPromise<ReadableStream<Uint8Array>> {
    return this.#transfers.export(params, options);
  }

  /** What `export` gave: a path, a File, bytes or a stream. What is there already is passed over. */
  import(source: UploadSource, params?: ImportParams, options?: RequestOptions): APIPromise<ImportResult> {
    return this.#transfers.import(source, params, options);
  }

  /** Everything of a subject, for good: all sessions of all agents that have all of the labels. Users only. */
  forget(body: Forgetting, options?: RequestOptions): APIPromise<Receipt> {
    return this.receipts.forget(body, options);
  }

  /** An agent by its handle or id, or the one of `COMMONPLACE_AGENT_ID`; no request yet. */
  agent(idOrHandle: string | undefined = readVariable('COMMONPLACE_AGENT_ID')): Agent {
    if (!idOrHandle) throw new CommonplaceError('Which agent? Give its handle or id, or set COMMONPLACE_AGENT_ID');
    const { agents, sessions, messages, memories, documents, events } = this;
    const agentId: AgentPlace['agentId'] = (options) => unlessAborted(this.#agentIds.idOf(idOrHandle), options?.signal);
    const call: AgentPlace['call'] = (options, operation) => APIPromise.after(agentId(options), operation);
    return new Agent({ agents, sessions, messages, memories, documents, events, agentId, call });
  }
}
