/** An embedder that remembers the vectors of the latest queries: the same question is asked again and again. */
import { type Embedder, type EmbedOptions, RefusedText } from './embedder.ts';

const MAX_ENTRIES = 2_000;
/** Longer texts are not asked twice. */
const MAX_CHARACTERS = 2_000;

export class QueryCache implements Embedder {
  readonly #inner: Embedder;
  readonly #maxEntries: number;
  /** The least recently used first. */
  readonly #vectors = new Map<string, Float32Array>();
  #hitsTotal = 0;
  #missesTotal = 0;

  constructor(inner: Embedder, maxEntries: number = MAX_ENTRIES) {
    this.#inner = inner;
    this.#maxEntries = maxEntries;
  }

  get model(): string {
    return this.#inner.model;
  }

  get dimensions(): number {
    return this.#inner.dimensions;
  }

  async embed(texts: readonly string[], options: EmbedOptions = {}): Promise<(Float32Array | RefusedText)[]> {
    if (options.priority !== 'query') return this.#inner.embed(texts, options);
    options.signal?.throwIfAborted();
    const found = texts.map((text) => this.#find(text));
    const missing = [...new Set(texts.filter((_, index) => !found[index]))];
    if (missing.length === 0) return found as Float32Array[];
    const made = await this.#inner.embed(missing, options);
    const answers = new Map(missing.map((text, index) => [text, made[index] as Float32Array | RefusedText]));
    for (const [text, answer] of answers) if (!(answer instanceof RefusedText)) this.#keep(text, answer);
    return texts.map((text, index) => {
      const answer = found[index] ?? (answers.get(text) as Float32Array | RefusedText);
      return answer instanceof RefusedText ? answer : answer.slice();
    });
  }

  ready(): Promise<void> {
    return this.#inner.ready();
  }

  gauges(): Record<string, number> {
    return {
      ...this.#inner.gauges(),
      cached_queries: this.#vectors.size,
      cache_hits_total: this.#hitsTotal,
      cache_misses_total: this.#missesTotal,
    };
  }

  async close(): Promise<void> {
    this.#vectors.clear();
    await this.#inner.close();
  }

  /** A copy: what a caller does to its vector is not seen by the next one. */
  #find(text: string): Float32Array | undefined {
    const vector = this.#vectors.get(text);
    if (!vector) {
      this.#missesTotal++;
      return undefined;
    }
    this.#hitsTotal++;
    this.#vectors.delete(text);
    this.#vectors.set(text, vector);
    return vector.slice();
  }

  #keep(text: string, vector: Float32Array): void {
    if (text.length > MAX_CHARACTERS) return;
    this.#vectors.delete(text);
    this.#vectors.set(text, vector);
    if (this.#vectors.size <= this.#maxEntries) return;
    const [oldest] = this.#vectors.keys();
    if (oldest !== undefined) this.#vectors.delete(oldest);
  }
}
