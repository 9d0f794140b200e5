/** One search: the index brought up to date, what has no vector yet embedded first, the query embedded, the hits. */
import type { Logger } from 'pino';
import type { Embedder } from './embedding/embedder.ts';
import { quantize } from './embedding/quantize.ts';
import type { SearchIndexes } from './indexes.ts';
import type { PlacedHit, VersionedItem } from './protocol.ts';
import type { SearchFilter } from './ranking/filters.ts';
import { queryForEmbedding } from './ranking/queries.ts';
import { type ScopeSource, Scopes } from './scopes.ts';

export interface SearchRequest {
  readonly text: string;
  readonly limit: number;
  readonly filter?: SearchFilter;
  readonly minScore?: number;
  readonly explain?: boolean;
}

/** What is written is found by its meaning at once, up to so many items that the background has not come to yet. */
const EMBEDDED_FIRST = 64;
/** As many of a long query as the model reads anyway. */
const QUERY_LENGTH = 4000;
const FAILURE_COUNTS_MS = 30_000;

export class Searcher {
  readonly embedder: Embedder;
  readonly indexes: SearchIndexes;
  readonly #scopes: Scopes;
  readonly #log: Logger;
  #wordsOnly = 0;
  /** Since the model failed to answer; a while later it deserves another try. */
  #failedAtMs: number | undefined;

  constructor(embedder: Embedder, indexes: SearchIndexes, log: Logger) {
    this.embedder = embedder;
    this.indexes = indexes;
    this.#scopes = new Scopes(indexes);
    this.#log = log;
  }

  async search(source: ScopeSource, request: SearchRequest): Promise<PlacedHit[]> {
    for (let attempt = 0; attempt < 3; attempt++) {
      const hits = await this.#search(source, request);
      if (hits) return hits;
      // The index made room for others between two steps: load it again.
      this.#scopes.forget(source.key);
    }
    throw new Error('The search index could not be held in memory long enough to search it');
  }

  /** Whether searches go by words alone, for want of a model that answers. */
  get isWordsOnly(): boolean {
    return this.#failedAtMs !== undefined && Date.now() - this.#failedAtMs < FAILURE_COUNTS_MS;
  }

  async close(): Promise<void> {
    await this.embedder.close();
    await this.indexes.close();
  }

  async gauges(): Promise<Record<string, number>> {
    const indexes = await this.indexes.gauges();
    const prefixed = Object.entries(indexes).map(([name, value]) => [`index_${name}`, value] as const);
    return { ...Object.fromEntries(prefixed), ...this.embedder.gauges(), words_only_total: this.#wordsOnly };
  }

  async #search(source: ScopeSource, { text, ...rest }: SearchRequest): Promise<PlacedHit[] | undefined> {
    await this.#scopes.bringUpToDate(source);
    const scope = await this.indexes.ask<'describe'>({ op: 'describe', scope: source.key, vectorlessLimit: EMBEDDED_FIRST });
    if (!scope) return undefined;
    if (scope.size === 0) return [];
    const vector = await this.#embedQuery(queryForEmbedding(text.slice(0, QUERY_LENGTH), scope.speakers));
    if (vector && scope.vectorless.length > 0) await this.#embedFirst(source, scope.vectorless);
    return this.indexes.ask<'search'>({ op: 'search', scope: source.key, query: { text, ...rest, ...(vector && { vector }) } });
  }

  /** Without an answer from the model the search goes by words alone: less good, and never an error. */
  async #embedQuery(text: string): Promise<Float32Array | undefined> {
    try {
      const [vector] = await this.embedder.embed([text], { priority: 'query' });
      this.#failedAtMs = undefined;
      return vector;
    } catch (error) {
      this.#wordsOnly++;
      this.#failedAtMs = Date.now();
      this.#log.warn({ err: error }, 'the query could not be embedded; the search goes by words alone');
      return undefined;
    }
  }

  async #embedFirst(source: ScopeSource, vectorless: readonly { id: string; thread: string }[]): Promise<void> {
    const idsByThread = Map.groupBy(vectorless, ({ thread }) => thread);
    const items: VersionedItem[] = [];
    for (const [thread, entries] of idsByThread)
      items.push(
        ...(await source.items(
          thread,
          entries.map(({ id }) => id),
        )),
      );
    const missing = items.filter((item) => !item.vector);
    let embedded: VersionedItem[] = [];
    try {
      const vectors = await this.embedder.embed(missing.map(textToEmbed), { priority: 'query' });
      embedded = missing.map((item, index) => ({ ...item, vector: quantize(vectors[index] as Float32Array) }));
    } catch (error) {
      this.#log.warn({ err: error }, 'some new items could not be embedded; they are found by their words');
    }
    // What the background embedded since the index was loaded comes with it.
    await this.indexes.ask<'upsert'>({ op: 'upsert', scope: source.key, items: [...items.filter((item) => item.vector), ...embedded] });
  }
}

/** A title or a heading belongs to what a chunk says. */
export function textToEmbed({ prefix, text }: { prefix?: string | undefined; text: string }): string {
  return prefix ? `${prefix}\n${text}` : text;
}
