/** One search: the index brought up to date, what has no vector yet embedded first, the query embedded, the hits. */
import type { Logger } from 'pino';
import { type Clock, systemClock } from '../clock.ts';
import { AppError } from '../errors.ts';
import { LaneLimiter } from '../lanes/lane-limiter.ts';
import { type EmbeddedText, type Embedder, embedTexts, MOST_EMBEDDED_CHARACTERS, RefusedText } from './embedding/embedder.ts';
import { quantize } from './embedding/quantize.ts';
import type { SearchIndexes } from './indexes.ts';
import { ModelSelection } from './model-selection.ts';
import { ScopeUnusable, searchIndex } from './paged-reading.ts';
import type { PlacedHit, PlacedId, VersionedItem } from './protocol.ts';
import type { SearchFilter } from './ranking/filters.ts';
import { queryForEmbedding } from './ranking/queries.ts';
import { ScopeLost } from './scope-lost.ts';
import type { ScopeSource } from './scope-source.ts';
import { nameBeginning, Scopes } from './scopes.ts';
import type { Snapshots } from './segments/snapshots.ts';
import { ScopeWarming } from './warming/scope-warming.ts';

export interface SearchRequest {
  readonly text: string;
  readonly limit: number;
  readonly filter?: SearchFilter;
  readonly minScore?: number;
  readonly explain?: boolean;
}

/** What is written is found by its meaning at once, up to so many items that the background has not come to yet. */
const EMBEDDED_FIRST = 64;
const CAUGHT_UP_AT_ONCE = 512;
/** Of what is at rest without vectors: more with the next search. */
const MOST_TAKEN_ANEW = 2_000;
/** So often a scope may be pushed out by others while it is searched, before it is held fast. */
const MOST_ATTEMPTS = 2;
/** Of a long query: what its words are taken from, and what a model reads anyway. */
const QUERY_CHARACTERS = 10_000;
const EMBEDDED_QUERY_CHARACTERS = 4000;
/** Searches of one workspace at a time, and those that may wait; more are refused. */
export const SEARCHES_OF_WORKSPACE = 8;
const WAITING_OF_WORKSPACE = 200;
const FAILURE_COUNTS_MS = 30_000;

export class Searcher {
  readonly models: ModelSelection;
  readonly indexes: SearchIndexes;
  readonly snapshots: Snapshots | undefined;
  readonly warming: ScopeWarming;
  readonly #scopes: Scopes;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #turns = new LaneLimiter({
    inFlightOfLane: SEARCHES_OF_WORKSPACE,
    waitingOfLane: WAITING_OF_WORKSPACE,
    refusal: () =>
      new AppError('too_many_requests', 'Too many searches of this workspace wait; try again shortly', { retryAfterSeconds: 1 }),
  });
  /** One scope at a time, so that memory is exceeded by no more than that. */
  readonly #pinning = new LaneLimiter({ inFlight: 1, inFlightOfLane: 1 });
  #wordsOnly = 0;
  /** Since the model failed to answer; a while later it deserves another try. */
  #failedAtMs: number | undefined;

  /** `snapshots`: where indexes are kept, if they are. */
  constructor(embedder: Embedder, indexes: SearchIndexes, log: Logger, snapshots?: Snapshots, clock: Clock = systemClock) {
    this.models = new ModelSelection(embedder);
    this.indexes = indexes;
    this.snapshots = snapshots;
    this.#scopes = new Scopes(indexes, snapshots);
    this.#log = log;
    this.#clock = clock;
    this.warming = new ScopeWarming(this, log);
  }

  get hasRoom(): boolean {
    return this.indexes.hasRoom;
  }

  expectSearches(): void {
    this.indexes.expectSearches();
  }

  /** Of the configured model, which everything is embedded with. */
  get embedder(): Embedder {
    return this.models.current;
  }

  /** `sourceOf` gives the scope with the vectors of a model. */
  async search(sourceOf: (model: string) => ScopeSource, request: SearchRequest): Promise<PlacedHit[]> {
    return this.searchSource(await this.models.choose(sourceOf), request);
  }

  async searchSource(source: ScopeSource, request: SearchRequest): Promise<PlacedHit[]> {
    return this.#turns.run(source.workspaceId, async () => {
      const hits = await this.#tryToSearch(source, request);
      return hits ?? this.#pinning.run(source.workspaceId, () => this.#searchPinned(source, request));
    });
  }

  async #searchPinned(source: ScopeSource, request: SearchRequest): Promise<PlacedHit[]> {
    this.indexes.pin(nameBeginning(source));
    try {
      const hits = await this.#tryToSearch(source, request);
      if (hits) return hits;
    } finally {
      this.indexes.pin(undefined);
    }
    throw new Error('The search index could not be held in memory long enough to search it');
  }

  async #tryToSearch(source: ScopeSource, request: SearchRequest): Promise<PlacedHit[] | undefined> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      try {
        return await this.#search(source, request);
      } catch (error) {
        if (!(error instanceof ScopeLost)) throw error;
      }
    }
    return undefined;
  }

  /** Whether searches go by words alone, for want of a model that answers. */
  get isWordsOnly(): boolean {
    return this.#failedAtMs !== undefined && performance.now() - this.#failedAtMs < FAILURE_COUNTS_MS;
  }

  /** Brings a scope into memory before anybody searches it. */
  async warm(source: ScopeSource): Promise<void> {
    await this.#scopes.bringUpToDate(source);
  }

  /** What sessions said that are gone leaves the memory of this node. */
  async forgetSessions(sessionIds: readonly string[]): Promise<void> {
    await this.#scopes.removeThreads(sessionIds);
  }

  async close(): Promise<void> {
    await this.warming.stop();
    await this.snapshots?.close();
    await this.models.close();
    await this.indexes.close();
  }

  async gauges(): Promise<Record<string, number>> {
    const indexes = await this.indexes.gauges();
    const prefixed = Object.entries(indexes).map(([name, value]) => [`index_${name}`, value] as const);
    return {
      ...Object.fromEntries(prefixed),
      ...this.snapshots?.gauges(),
      ...this.embedder.gauges(),
      waiting_searches: this.#turns.waiting,
      words_only_total: this.#wordsOnly,
    };
  }

  async #search(source: ScopeSource, { text: whole, ...rest }: SearchRequest): Promise<PlacedHit[]> {
    const text = whole.slice(0, QUERY_CHARACTERS);
    const name = await this.#scopes.bringUpToDate(source);
    this.snapshots?.notes.noteUse(source);
    const held = <T>(answer: T | undefined): T => {
      if (answer !== undefined) return answer;
      this.#scopes.forget(source, name);
      throw new ScopeLost();
    };
    const scope = held(await this.indexes.describe(name, EMBEDDED_FIRST));
    this.#scopes.noteSize(source, name, scope);
    if (scope.size === 0) return [];
    const embedder = this.models.embedderOf(source);
    const question = queryForEmbedding(text.slice(0, EMBEDDED_QUERY_CHARACTERS), scope.speakers);
    const asked = await this.#embedQuery(embedder, question, source.workspaceId);
    if (asked && scope.vectorlessCount > 0) {
      await this.#embedFirst(embedder, source, name, scope.vectorless);
      if (scope.vectorlessCount > scope.vectorless.length)
        await this.#catchUp(source, name, scope.isPaged ? MOST_TAKEN_ANEW : Number.POSITIVE_INFINITY);
    }
    try {
      return await searchIndex(this.indexes, this.snapshots, source, name, {
        ...{ text, ...rest, askedAt: this.#clock.nowMs() },
        ...(asked && { vector: asked.vector, tokens: asked.questionTokens }),
      });
    } catch (error) {
      if (error instanceof ScopeLost) this.#scopes.forget(source, name);
      if (!(error instanceof ScopeUnusable)) throw error;
      await this.#scopes.discard(source, name, error.message);
      throw new ScopeLost();
    }
  }

  /** Without an answer from the model the search goes by words alone: less good, and never an error. */
  async #embedQuery(embedder: Embedder, text: string, lane: string): Promise<EmbeddedText | undefined> {
    try {
      const [asked] = await embedTexts(embedder, [text], { priority: 'query', lane });
      this.#failedAtMs = undefined;
      if (!(asked instanceof RefusedText)) return asked;
      this.#wordsOnly++;
      return undefined;
    } catch (error) {
      this.#wordsOnly++;
      this.#failedAtMs = performance.now();
      this.#log.warn({ err: error }, 'the query could not be embedded; the search goes by words alone');
      return undefined;
    }
  }

  async #embedFirst(embedder: Embedder, source: ScopeSource, name: string, vectorless: readonly PlacedId[]): Promise<void> {
    const items = await itemsAt(source, vectorless);
    const missing = items.filter(({ vector, isRefused }) => !vector && !isRefused);
    let embedded: VersionedItem[] = [];
    try {
      const vectors = await embedder.embed(missing.map(textToEmbed), { priority: 'query', lane: source.workspaceId });
      embedded = missing.map((item, index) => {
        const vector = vectors[index] as Float32Array | RefusedText;
        return vector instanceof RefusedText ? { ...item, isRefused: true } : { ...item, vector: quantize(vector) };
      });
    } catch (error) {
      this.#log.warn({ err: error }, 'some new items could not be embedded; they are found by their words');
    }
    // What the background embedded since the index was loaded comes with it.
    await this.#addVectors(source, name, [...items, ...embedded]);
  }

  /** What the background embedded since the index was loaded. It goes from the oldest on, and so does this, up to where it has come. */
  async #catchUp(source: ScopeSource, name: string, most: number): Promise<void> {
    for (let limit = 1, tried = 0; tried < most; tried += limit, limit = Math.min(limit * 8, CAUGHT_UP_AT_ONCE)) {
      const oldest = (await this.indexes.ask<'vectorless'>({ op: 'vectorless', scope: name, limit })) ?? [];
      const items = await itemsAt(source, oldest);
      await this.#addVectors(source, name, items);
      if (oldest.length === 0 || items.length < oldest.length || items.some(({ vector, isRefused }) => !vector && !isRefused)) return;
    }
  }

  /** By version: an item may be edited or deleted while its old text is being embedded. */
  async #addVectors(source: ScopeSource, name: string, items: readonly VersionedItem[]): Promise<void> {
    const vectors = items.flatMap(({ id, version, vector, isRefused }) =>
      vector || isRefused ? [{ id, version, ...(vector && { vector }) }] : [],
    );
    if (vectors.length === 0) return;
    const answer = await this.indexes.ask<'addVectors'>({ op: 'addVectors', scope: name, vectors });
    if (answer) this.#scopes.noteSize(source, name, answer);
    if (!answer || answer.atRest.length === 0) return;
    await this.#scopes.takeInAnew(source, name, answer.atRest);
    await this.indexes.ask<'addVectors'>({ op: 'addVectors', scope: name, vectors });
  }
}

async function itemsAt(source: ScopeSource, places: readonly PlacedId[]): Promise<VersionedItem[]> {
  const items: VersionedItem[] = [];
  for (const [thread, placed] of Map.groupBy(places, (place) => place.thread)) {
    const ids = placed.map(({ id }) => id);
    items.push(...(await source.textsToEmbed(thread, ids)));
  }
  return items;
}

/** A title or a heading belongs to what a chunk says. */
export function textToEmbed({ prefix, text }: { prefix?: string | undefined; text: string }): string {
  const read = text.slice(0, MOST_EMBEDDED_CHARACTERS);
  return prefix ? `${prefix}\n${read}` : read;
}
