import type { APIPromise } from '../api-promise.ts';
import { PagePromise } from '../page.ts';
import type { RequestOptions } from '../transport.ts';
import type { IdList, ListMessagesQuery, Message, MessageChanges, MessageHit, MessageSearch, NewMessage, NewMessages } from '../types.ts';
import type { AgentPlace } from './place.ts';

export class SessionMessages {
  readonly #place: AgentPlace;
  readonly #sessionId: string;

  constructor(place: AgentPlace, sessionId: string) {
    this.#place = place;
    this.#sessionId = sessionId;
  }

  create(body: NewMessage, options?: RequestOptions): APIPromise<Message> {
    return this.#place.call(options, (agentId) => this.#place.messages.create(agentId, this.#sessionId, body, options));
  }

  /** Up to 100, all or none, in the order given. */
  createBatch(body: NewMessages, options?: RequestOptions): APIPromise<Message[]> {
    return this.#place.call(options, (agentId) => this.#place.messages.createBatch(agentId, this.#sessionId, body, options));
  }

  /** Oldest first. */
  list(query: ListMessagesQuery = {}, options?: RequestOptions): PagePromise<Message> {
    return new PagePromise(async () => this.#place.messages.list(await this.#place.agentId(options), this.#sessionId, query, options));
  }

  /** Best first, by meaning and by words. */
  search(query: string, params: Omit<MessageSearch, 'query'> = {}, options?: RequestOptions): APIPromise<MessageHit[]> {
    return this.#place.call(options, (agentId) => this.#place.messages.search(agentId, this.#sessionId, { ...params, query }, options));
  }

  get(messageId: string, options?: RequestOptions): APIPromise<Message> {
    return this.#place.call(options, (agentId) => this.#place.messages.get(agentId, this.#sessionId, messageId, options));
  }

  update(messageId: string, body: MessageChanges, options?: RequestOptions): APIPromise<Message> {
    return this.#place.call(options, (agentId) => this.#place.messages.update(agentId, this.#sessionId, messageId, body, options));
  }

  delete(messageId: string, options?: RequestOptions): APIPromise<void> {
    return this.#place.call(options, (agentId) => this.#place.messages.delete(agentId, this.#sessionId, messageId, options));
  }

  /** Up to 100, all or none. */
  deleteBatch(body: IdList, options?: RequestOptions): APIPromise<void> {
    return this.#place.call(options, (agentId) => this.#place.messages.deleteBatch(agentId, this.#sessionId, body, options));
  }
}
