/** A retriever over what Commonplace knows: documents, and memories of a session or of a person. */
import type { AgentHandle, DocumentHit, MemoryHit, SessionHandle, WorkspaceResources } from '@commonplace/client';
import { Document } from '@langchain/core/documents';
import { BaseRetriever, type BaseRetrieverInput } from '@langchain/core/retrievers';

/** At least one of the first four says where to look. */
export interface CommonplaceRetrieverInput extends BaseRetrieverInput {
  /** The client, or another workspace of it: all documents of the workspace. */
  commonplace?: WorkspaceResources;
  /** The documents that an agent sees by its `kbLabels`. Takes the place of `commonplace`. */
  agent?: AgentHandle;
  /** The memories of a session. */
  session?: SessionHandle;
  /** The memories of one person: those of the sessions of `agent` that have these labels. */
  person?: Record<string, string>;
  /** Of the documents: every pair must match. */
  labels?: Record<string, string>;
  /** How many there are at most, 1 to 100. Default: 10. */
  k?: number;
  /** Leaves out what has less. */
  minScore?: number;
}

export type RetrievedMetadata = KnowledgeMetadata | MemoryMetadata;

interface KnowledgeMetadata {
  type: 'knowledge';
  source: string;
  /** Of the chunk. */
  id: string;
  score: number;
  documentId: string;
  title: string;
  heading: string;
  labels: Record<string, string>;
}

interface MemoryMetadata {
  type: 'memory';
  source: string;
  id: string;
  score: number;
  kind: MemoryHit['kind'];
  sessionId: string;
}

export class CommonplaceRetriever extends BaseRetriever<RetrievedMetadata> {
  lc_namespace = ['commonplace', 'retrievers'];
  readonly #input: CommonplaceRetrieverInput;

  static override lc_name(): string {
    return 'CommonplaceRetriever';
  }

  constructor(input: CommonplaceRetrieverInput) {
    const { callbacks, tags, metadata, verbose } = input;
    super({ ...(callbacks && { callbacks }), ...(tags && { tags }), ...(metadata && { metadata }), ...(verbose && { verbose }) });
    const { commonplace, agent, session, person } = input;
    if (!commonplace && !agent && !session) throw new TypeError('Say where to look: commonplace, agent or session');
    if (person && !agent) throw new TypeError('The memories of a person need an agent');
    this.#input = input;
  }

  override async _getRelevantDocuments(query: string): Promise<Document<RetrievedMetadata>[]> {
    const found = await Promise.all([this.#searchKnowledge(query), this.#searchSession(query), this.#searchPerson(query)]);
    const documents = found.flat().sort((a, b) => b.metadata.score - a.metadata.score);
    // A memory of the session is one of the person, too.
    const distinct = new Map(documents.map((document) => [document.metadata.source, document]));
    return [...distinct.values()].slice(0, this.#limits.limit);
  }

  get #limits(): { limit: number; minScore?: number } {
    const { k = 10, minScore } = this.#input;
    return { limit: k, ...(minScore !== undefined && { minScore }) };
  }

  async #searchKnowledge(query: string): Promise<Document<RetrievedMetadata>[]> {
    const { commonplace, agent, labels } = this.#input;
    const params = { ...this.#limits, ...(labels && { labels }) };
    const hits = agent ? await agent.documents.search(query, params) : await commonplace?.documents.search({ ...params, query });
    return (hits ?? []).map(knowledgeDocument);
  }

  async #searchSession(query: string): Promise<Document<RetrievedMetadata>[]> {
    const hits = await this.#input.session?.memories.search(query, this.#limits);
    return (hits ?? []).map(memoryDocument);
  }

  async #searchPerson(query: string): Promise<Document<RetrievedMetadata>[]> {
    const { agent, person } = this.#input;
    const hits = person && (await agent?.memories.search(query, { ...this.#limits, labels: person }));
    return (hits ?? []).map(memoryDocument);
  }
}

function knowledgeDocument({ documentId, chunkId, score, text, labels, title, heading }: DocumentHit): Document<RetrievedMetadata> {
  const source = `commonplace://documents/${documentId}#${chunkId}`;
  const metadata = { type: 'knowledge', source, id: chunkId, score, documentId, title, heading, labels } as const;
  return new Document<RetrievedMetadata>({ id: chunkId, pageContent: text, metadata });
}

function memoryDocument({ id, kind, score, text, sessionId }: MemoryHit): Document<RetrievedMetadata> {
  const metadata = { type: 'memory', source: `commonplace://memories/${id}`, id, score, kind, sessionId } as const;
  return new Document<RetrievedMetadata>({ id, pageContent: text, metadata });
}
