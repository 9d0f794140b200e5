import type { APIPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { spreadLabels } from '../paths.ts';
import type { RequestOptions } from '../transport.ts';
import type {
  AgentMemorySearch,
  ExtractionStatus,
  IdList,
  ListAgentMemoriesQuery,
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
import { poll, type WaitOptions } from '../waiting.ts';
import { WorkspaceResource } from './resource.ts';

const agent = '/workspaces/{workspaceId}/agents/{agentId}';
const memories = `${agent}/sessions/{sessionId}/memories` as const;
const memory = `${memories}/{memoryId}` as const;
const batch = `${memories}/batch` as const;

export class Memories extends WorkspaceResource {
  create(agentId: string, sessionId: string, body: NewMemory, options?: RequestOptions): APIPromise<Memory> {
    return this.request('POST', memories, { ids: { agentId, sessionId }, body }, options);
  }

  /** Up to 100, all or none, in the order given. */
  createBatch(agentId: string, sessionId: string, body: NewMemories, options?: RequestOptions): APIPromise<Memory[]> {
    const answer: APIPromise<{ memories: Memory[] }> = this.request('POST', batch, { ids: { agentId, sessionId }, body }, options);
    return answer.map(({ memories }) => memories);
  }

  /** Newest first: what holds now, or what held `asOf` a moment. */
  list(agentId: string, sessionId: string, query: ListMemoriesQuery = {}, options?: RequestOptions): PagePromise<Memory> {
    return this.listing(memories, { key: 'memories', ids: { agentId, sessionId }, query }, options);
  }

  get(agentId: string, sessionId: string, memoryId: string, options?: RequestOptions): APIPromise<Memory> {
    return this.request('GET', memory, { ids: { agentId, sessionId, memoryId } }, options);
  }

  update(agentId: string, sessionId: string, memoryId: string, body: MemoryChanges, options?: RequestOptions): APIPromise<Memory> {
    return this.request('PUT', memory, { ids: { agentId, sessionId, memoryId }, body }, options);
  }

  delete(agentId: string, sessionId: string, memoryId: string, options?: RequestOptions): APIPromise<void> {
    return this.request('DELETE', memory, { ids: { agentId, sessionId, memoryId } }, options);
  }

  /** Up to 100, all or none. */
  deleteBatch(agentId: string, sessionId: string, body: IdList, options?: RequestOptions): APIPromise<void> {
    return this.request('DELETE', batch, { ids: { agentId, sessionId }, body }, options);
  }

  /** Best first, by meaning and by words. */
  search(agentId: string, sessionId: string, body: MemorySearch, options?: RequestOptions): APIPromise<MemoryHit[]> {
    const operation = { ids: { agentId, sessionId }, body, changesNothing: true } as const;
    const answer: APIPromise<{ results: MemoryHit[] }> = this.request('POST', `${memories}/search`, operation, options);
    return answer.map(({ results }) => results);
  }

  /** Of all sessions of an agent, or of those that have the `labels`; newest first. */
  listAgent(agentId: string, query: ListAgentMemoriesQuery = {}, options?: RequestOptions): PagePromise<Memory> {
    const asked = spreadLabels(query, ['id', 'limit', 'offset', 'cursor', 'kind', 'asOf', 'where']);
    return this.listing(`${agent}/memories`, { key: 'memories', ids: { agentId }, query: asked }, options);
  }

  /** In all sessions of an agent, or in those that have the `labels`. */
  searchAgent(agentId: string, body: AgentMemorySearch, options?: RequestOptions): APIPromise<MemoryHit[]> {
    const operation = { ids: { agentId }, body, changesNothing: true } as const;
    const answer: APIPromise<{ results: MemoryHit[] }> = this.request('POST', `${agent}/memories/search`, operation, options);
    return answer.map(({ results }) => results);
  }

  /** What happened to it, oldest first. */
  history(agentId: string, sessionId: string, memoryId: string, options?: RequestOptions): APIPromise<MemoryEvent[]> {
    const ids = { agentId, sessionId, memoryId };
    const answer: APIPromise<{ history: MemoryEvent[] }> = this.request('GET', `${memory}/history`, { ids }, options);
    return answer.map(({ history }) => history);
  }

  /** Rebuilds what was extracted from the messages, in the background. */
  regenerate(agentId: string, sessionId: string, options?: RequestOptions): APIPromise<Regeneration> {
    return this.request('POST', `${memories}/regenerate`, { ids: { agentId, sessionId } }, options);
  }

  /** How far the extraction is. */
  status(agentId: string, sessionId: string, options?: RequestOptions): APIPromise<ExtractionStatus> {
    return this.request('GET', `${memories}/status`, { ids: { agentId, sessionId } }, options);
  }

  /** Resolves when every message so far was looked at. Some may have failed: the status says how many. */
  waitUntilExtracted(agentId: string, sessionId: string, options: WaitOptions = {}): Promise<ExtractionStatus> {
    return poll(
      'the extraction of memories',
      options,
      (signal) => this.status(agentId, sessionId, { signal }),
      ({ pending, regenerating }) => pending === 0 && !regenerating,
    );
  }
}
