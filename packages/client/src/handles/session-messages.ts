import { type PageParams, PagePromise } from '../page.ts';
import type { RequestOptions } from '../transport.ts';
import type { IdList, Message, MessageChanges, MessageHit, MessageSearch, NewMessage, NewMessages } from '../types.ts';
import type { AgentPlace } from './place.ts';

export class SessionMessages {
  readonly #place: AgentPlace;
  readonly #sessionId: string;

  constructor(place: AgentPlace, sessionId: string) {
    this.#place = place;
    this.#sessionId = sessionId;
  }

  async create(body: NewMessage, options?: RequestOptions): Promise<Message> {
    return this.#place.messages.create(await this.#place.agentId(options), this.#sessionId, body, options);
  }

  /** Up to 100, all or none, in the order given. */
  async createBatch(body: NewMessages, options?: RequestOptions): Promise<Message[]> {
    return this.#place.messages.createBatch(await this.#place.agentId(options), this.#sessionId, body, options);
  }

  /** Oldest first. */
  list(query: PageParams = {}, options?: RequestOptions): PagePromise<Message> {
    return new PagePromise(async () => this.#place.messages.list(await this.#place.agentId(options), this.#sessionId, query, options));
  }

  /** Best first, by meaning and by words. */
  async search(query: string, params: Omit<MessageSearch, 'query'> = {}, options?: RequestOptions): Promise<MessageHit[]> {
    return this.#place.messages.search(await this.#place.agentId(options), this.#sessionId, { ...params, query }, options);
  }

  async get(messageId: string, options?: RequestOptions): Promise<Message> {
    return this.#place.messages.get(await this.#place.agentId(options), this.#sessionId, messageId, options);
  }

  async update(messageId: string, body: MessageChanges, options?: RequestOptions): Promise<Message> {
    return this.#place.messages.update(await this.#place.agentId(options), this.#sessionId, messageId, body, options);
  }

  async delete(messageId: string, options?: RequestOptions): Promise<void> {
    return this.#place.messages.delete(await this.#place.agentId(options), this.#sessionId, messageId, options);
  }

  /** Up to 100, all or none. */
  async deleteBatch(body: IdList, options?: RequestOptions): Promise<void> {
    return this.#place.messages.deleteBatch(await this.#place.agentId(options), this.#sessionId, body, options);
  }
}
