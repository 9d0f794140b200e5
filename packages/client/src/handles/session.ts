/** One session: its messages, its memories, what changes in it, and the context of the next model call. */
import type { APIPromise } from '../api-promise.ts';
import type { RequestOptions } from '../transport.ts';
import type { ContextRequest, ModelContext, SessionChanges, Session as SessionData, SessionFork } from '../types.ts';
import type { AgentPlace } from './place.ts';
import { SessionEvents } from './session-events.ts';
import { SessionMemories } from './session-memories.ts';
import { SessionMessages } from './session-messages.ts';

export class Session {
  /** The internal id. */
  readonly id: string;
  /** As it was when it was opened; undefined where it is known by its id alone. `get()` reads it anew. */
  readonly data: SessionData | undefined;
  readonly messages: SessionMessages;
  readonly memories: SessionMemories;
  readonly events: SessionEvents;
  readonly #place: AgentPlace;

  constructor(place: AgentPlace, id: string, data?: SessionData) {
    this.#place = place;
    this.id = id;
    this.data = data;
    this.messages = new SessionMessages(place, id);
    this.memories = new SessionMemories(place, id);
    this.events = new SessionEvents(place, id);
  }

  /** Everything that a model call needs, within a budget of tokens. */
  context(body: ContextRequest = {}, options?: RequestOptions): APIPromise<ModelContext> {
    return this.#place.call(options, (agentId) => this.#place.sessions.context(agentId, this.id, body, options));
  }

  get(options?: RequestOptions): APIPromise<SessionData> {
    return this.#place.call(options, (agentId) => this.#place.sessions.get(agentId, this.id, options));
  }

  update(body: SessionChanges, options?: RequestOptions): APIPromise<SessionData> {
    return this.#place.call(options, (agentId) => this.#place.sessions.update(agentId, this.id, body, options));
  }

  /** With its messages and memories. */
  delete(options?: RequestOptions): APIPromise<void> {
    return this.#place.call(options, (agentId) => this.#place.sessions.delete(agentId, this.id, options));
  }

  /** A copy up to a message, with messages and memories of its own. */
  async fork(body: SessionFork = {}, options?: RequestOptions): Promise<Session> {
    const copy = await this.#place.sessions.fork(await this.#place.agentId(options), this.id, body, options);
    return new Session(this.#place, copy.id, copy);
  }
}
