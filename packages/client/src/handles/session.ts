/** One session: its messages, its memories and the context of the next model call. */
import type { RequestOptions } from '../transport.ts';
import type { ContextRequest, ModelContext, SessionChanges, Session as SessionData, SessionFork } from '../types.ts';
import type { AgentPlace } from './place.ts';
import { SessionMemories } from './session-memories.ts';
import { SessionMessages } from './session-messages.ts';

export class Session {
  /** The internal id. */
  readonly id: string;
  /** As it was when it was opened; undefined where it is known by its id alone. `get()` reads it anew. */
  readonly data: SessionData | undefined;
  readonly messages: SessionMessages;
  readonly memories: SessionMemories;
  readonly #place: AgentPlace;

  constructor(place: AgentPlace, id: string, data?: SessionData) {
    this.#place = place;
    this.id = id;
    this.data = data;
    this.messages = new SessionMessages(place, id);
    this.memories = new SessionMemories(place, id);
  }

  /** Everything that a model call needs, within a budget of tokens. */
  async context(body: ContextRequest = {}, options?: RequestOptions): Promise<ModelContext> {
    return this.#place.sessions.context(await this.#place.agentId(options), this.id, body, options);
  }

  async get(options?: RequestOptions): Promise<SessionData> {
    return this.#place.sessions.get(await this.#place.agentId(options), this.id, options);
  }

  async update(body: SessionChanges, options?: RequestOptions): Promise<SessionData> {
    return this.#place.sessions.update(await this.#place.agentId(options), this.id, body, options);
  }

  /** With its messages and memories. */
  async delete(options?: RequestOptions): Promise<void> {
    return this.#place.sessions.delete(await this.#place.agentId(options), this.id, options);
  }

  /** A copy up to a message, with messages and memories of its own. */
  async fork(body: SessionFork = {}, options?: RequestOptions): Promise<Session> {
    const copy = await this.#place.sessions.fork(await this.#place.agentId(options), this.id, body, options);
    return new Session(this.#place, copy.id, copy);
  }
}
