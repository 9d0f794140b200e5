import type { APIPromise } from '../api-promise.ts';
import { PagePromise } from '../page.ts';
import type { RequestOptions } from '../transport.ts';
import type {
  ExtractionStatus,
  IdList,
  ListMemoriesQuery,
  Memory,
  MemoryChanges,
  MemoryEvent,
  MemoryHit,
  MemorySearch,
  NewMemories,
  NewMemory,
  Regeneration,
} from '../types.ts';
import type { WaitOptions } from '../waiting.ts';
import type { AgentPlace } from './place.ts';

export class SessionMemories {
  readonly #place: AgentPlace;
  readonly #sessionId: string;

  constructor(place: AgentPlace, sessionId: string) {
    this.#place = place;
    this.#sessionId = sessionId;
  }

  create(body: NewMemory, options?: RequestOptions): APIPromise<Memory> {
    return this.#place.call(options, (agentId) => this.#place.memories.create(agentId, this.#sessionId, body, options));
  }

  /** Up to 100, all or none, in the order given. */
  createBatch(body: NewMemories, options?: RequestOptions): APIPromise<Memory[]> {
    return this.#place.call(options, (agentId) => this.#place.memories.createBatch(agentId, this.#sessionId, body, options));
  }

  /** Newest first: what holds now, or what held `asOf` a moment. */
  list(query: ListMemoriesQuery = {}, options?: RequestOptions): PagePromise<Memory> {
    return new PagePromise(async () => this.#place.memories.list(await this.#place.agentId(options), this.#sessionId, query, options));
  }

  /** Best first, by meaning and by words. */
  search(query: string, params: Omit<MemorySearch, 'query'> = {}, options?: RequestOptions): APIPromise<MemoryHit[]> {
    return this.#place.call(options, (agentId) => this.#place.memories.search(agentId, this.#sessionId, { ...params, query }, options));
  }

  get(memoryId: string, options?: RequestOptions): APIPromise<Memory> {
    return this.#place.call(options, (agentId) => this.#place.memories.get(agentId, this.#sessionId, memoryId, options));
  }

  update(memoryId: string, body: MemoryChanges, options?: RequestOptions): APIPromise<Memory> {
    return this.#place.call(options, (agentId) => this.#place.memories.update(agentId, this.#sessionId, memoryId, body, options));
  }

  delete(memoryId: string, options?: RequestOptions): APIPromise<void> {
    return this.#place.call(options, (agentId) => this.#place.memories.delete(agentId, this.#sessionId, memoryId, options));
  }

  /** Up to 100, all or none. */
  deleteBatch(body: IdList, options?: RequestOptions): APIPromise<void> {
    return this.#place.call(options, (agentId) => this.#place.memories.deleteBatch(agentId, this.#sessionId, body, options));
  }

  /** What happened to it, oldest first. */
  history(memoryId: string, options?: RequestOptions): APIPromise<MemoryEvent[]> {
    return this.#place.call(options, (agentId) => this.#place.memories.history(agentId, this.#sessionId, memoryId, options));
  }

  /** Rebuilds what was extracted from the messages, in the background. */
  regenerate(options?: RequestOptions): APIPromise<Regeneration> {
    return this.#place.call(options, (agentId) => this.#place.memories.regenerate(agentId, this.#sessionId, options));
  }

  /** How far the extraction is. */
  status(options?: RequestOptions): APIPromise<ExtractionStatus> {
    return this.#place.call(options, (agentId) => this.#place.memories.status(agentId, this.#sessionId, options));
  }

  /** Resolves when every message so far was looked at. Some may have failed: the status says how many. */
  async waitUntilExtracted(options: WaitOptions = {}): Promise<ExtractionStatus> {
    return this.#place.memories.waitUntilExtracted(await this.#place.agentId(options), this.#sessionId, options);
  }
}
