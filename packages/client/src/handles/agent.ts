/** One agent, by handle or id: what people do all day, without ids. */
import type { APIPromise } from '../api-promise.ts';
import { PagePromise } from '../page.ts';
import type { RequestOptions } from '../transport.ts';
import type {
  AgentChanges,
  AgentContextRequest,
  Agent as AgentData,
  AgentMemorySearch,
  AgentMessageSearch,
  DocumentHit,
  DocumentSearch,
  Forgetting,
  ListAgentMemoriesQuery,
  ListSessionsQuery,
  Memory,
  MemoryHit,
  MessageHit,
  ModelContext,
  NewSession,
  Receipt,
  Session as SessionData,
} from '../types.ts';
import type { AgentPlace } from './place.ts';
import { Session } from './session.ts';

export class Agent {
  readonly sessions: AgentSessions;
  readonly messages: AgentMessages;
  readonly memories: AgentMemories;
  readonly documents: AgentDocuments;
  readonly #place: AgentPlace;

  constructor(place: AgentPlace) {
    this.#place = place;
    this.sessions = new AgentSessions(place);
    this.messages = new AgentMessages(place);
    this.memories = new AgentMemories(place);
    this.documents = new AgentDocuments(place);
  }

  /** Looks a handle up; an id is known already. */
  id(options?: Pick<RequestOptions, 'signal'>): Promise<string> {
    return this.#place.agentId(options);
  }

  get(options?: RequestOptions): APIPromise<AgentData> {
    return this.#place.call(options, (agentId) => this.#place.agents.get(agentId, options));
  }

  update(body: AgentChanges, options?: RequestOptions): APIPromise<AgentData> {
    return this.#place.call(options, (agentId) => this.#place.agents.update(agentId, body, options));
  }

  /** With its sessions. */
  delete(options?: RequestOptions): APIPromise<void> {
    return this.#place.call(options, (agentId) => this.#place.agents.delete(agentId, options));
  }

  /** What a model needs to know of one person, whom the labels name, across their sessions. */
  context(body: AgentContextRequest, options?: RequestOptions): APIPromise<ModelContext> {
    return this.#place.call(options, (agentId) => this.#place.agents.context(agentId, body, options));
  }

  /** Everything of a subject, for good: all sessions that have all of the labels, with what they said. Users only. */
  forget(body: Forgetting, options?: RequestOptions): APIPromise<Receipt> {
    return this.#place.call(options, (agentId) => this.#place.agents.forget(agentId, body, options));
  }

  /** A session by its internal id; no request yet. */
  session(sessionId: string): Session {
    return new Session(this.#place, sessionId);
  }
}

export class AgentSessions {
  readonly #place: AgentPlace;

  constructor(place: AgentPlace) {
    this.#place = place;
  }

  /** The session with this `id`, or with exactly these `labels`; made where there is none yet. */
  async open(body: NewSession, options?: RequestOptions): Promise<Session> {
    return this.#handle(await this.#place.sessions.open(await this.#place.agentId(options), body, options));
  }

  async create(body: NewSession = {}, options?: RequestOptions): Promise<Session> {
    return this.#handle(await this.#place.sessions.create(await this.#place.agentId(options), body, options));
  }

  /** Last active first. `id` and labels filter together. */
  list(query: ListSessionsQuery = {}, options?: RequestOptions): PagePromise<SessionData> {
    return new PagePromise(async () => this.#place.sessions.list(await this.#place.agentId(options), query, options));
  }

  #handle(session: SessionData): Session {
    return new Session(this.#place, session.id, session);
  }
}

export class AgentMessages {
  readonly #place: AgentPlace;

  constructor(place: AgentPlace) {
    this.#place = place;
  }

  /** In all sessions of the agent, or in those that have the `labels`. */
  search(query: string, params: Omit<AgentMessageSearch, 'query'> = {}, options?: RequestOptions): APIPromise<MessageHit[]> {
    return this.#place.call(options, (agentId) => this.#place.messages.searchAgent(agentId, { ...params, query }, options));
  }
}

export class AgentMemories {
  readonly #place: AgentPlace;

  constructor(place: AgentPlace) {
    this.#place = place;
  }

  /** Of all sessions of the agent, or of those that have the `labels`; newest first. */
  list(query: ListAgentMemoriesQuery = {}, options?: RequestOptions): PagePromise<Memory> {
    return new PagePromise(async () => this.#place.memories.listAgent(await this.#place.agentId(options), query, options));
  }

  /** In all sessions of the agent, or in those that have the `labels`. */
  search(query: string, params: Omit<AgentMemorySearch, 'query'> = {}, options?: RequestOptions): APIPromise<MemoryHit[]> {
    return this.#place.call(options, (agentId) => this.#place.memories.searchAgent(agentId, { ...params, query }, options));
  }
}

export class AgentDocuments {
  readonly #place: AgentPlace;

  constructor(place: AgentPlace) {
    this.#place = place;
  }

  /** In the documents that the agent sees by its `kbLabels`. */
  search(query: string, params: Omit<DocumentSearch, 'query'> = {}, options?: RequestOptions): APIPromise<DocumentHit[]> {
    return this.#place.call(options, (agentId) => this.#place.documents.searchAgent(agentId, { ...params, query }, options));
  }
}
