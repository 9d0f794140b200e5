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

  async create(body: NewMemory, options?: RequestOptions): Promise<Memory> {
    return this.#place.memories.create(await this.#place.agentId(options), this.#sessionId, body, options);
  }

  /** Up to 100, all or none, in the order given. */
  async createBatch(body: NewMemories, options?: RequestOptions): Promise<Memory[]> {
    return this.#place.memories.createBatch(await this.#place.agentId(options), this.#sessionId, body, options);
  }

  /** Newest first: what holds now, or what held `asOf` a moment. */
  list(query: ListMemoriesQuery = {}, options?: RequestOptions): PagePromise<Memory> {
    return new PagePromise(async () => this.#place.memories.list(await this.#place.agentId(options), this.#sessionId, query, options));
  }

  /** Best first, by meaning and by words. */
  async search(query: string, params: Omit<MemorySearch, 'query'> = {}, options?: RequestOptions): Promise<MemoryHit[]> {
    return this.#place.memories.search(await this.#place.agentId(options), this.#sessionId, { ...params, query }, options);
  }

  async get(memoryId: string, options?: RequestOptions): Promise<Memory> {
    return this.#place.memories.get(await this.#place.agentId(options), this.#sessionId, memoryId, options);
  }

  async update(memoryId: string, body: MemoryChanges, options?: RequestOptions): Promise<Memory> {
    return this.#place.memories.update(await this.#place.agentId(options), this.#sessionId, memoryId, body, options);
  }

  async delete(memoryId: string, options?: RequestOptions): Promise<void> {
    return this.#place.memories.delete(await this.#place.agentId(options), this.#sessionId, memoryId, options);
  }

  /** Up to 100, all or none. */
  async deleteBatch(body: IdList, options?: RequestOptions): Promise<void> {
    return this.#place.memories.deleteBatch(await this.#place.agentId(options), this.#sessionId, body, options);
  }

  /** What happened to it, oldest first. */
  async history(memoryId: string, options?: RequestOptions): Promise<MemoryEvent[]> {
    return this.#place.memories.history(await this.#place.agentId(options), this.#sessionId, memoryId, options);
  }

  /** Rebuilds what was extracted from the messages, in the background. */
  async regenerate(options?: RequestOptions): Promise<Regeneration> {
    return this.#place.memories.regenerate(await this.#place.agentId(options), this.#sessionId, options);
  }

  /** How far the extraction is. */
  async status(options?: RequestOptions): Promise<ExtractionStatus> {
    return this.#place.memories.status(await this.#place.agentId(options), this.#sessionId, options);
  }

  /** Resolves when every message so far was looked at. Some may have failed: the status says how many. */
  async waitUntilExtracted(options: WaitOptions = {}): Promise<ExtractionStatus> {
    return this.#place.memories.waitUntilExtracted(await this.#place.agentId(options), this.#sessionId, options);
  }
}
