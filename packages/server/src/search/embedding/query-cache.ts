/** An embedder that remembers the vectors of the latest queries, and of those in flight: the same question is asked again and again. */
import { type EmbeddedText, type Embedder, type EmbedderCapacity, type EmbedOptions, embedTexts, RefusedText } from './embedder.ts';

const MAX_ENTRIES = 2_000;
/** The tokens of a pasted page are a hundred kilobytes, those of an ordinary question four. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Longer texts are not asked twice. */
const MAX_CHARACTERS = 2_000;

type Embedded = EmbeddedText | RefusedText;

interface CacheLimits {
  readonly entries: number;
  readonly bytes: number;
}

export class QueryCache implements Embedder {
  readonly #inner: Embedder;
  readonly #limits: CacheLimits;
  /** The least recently used first. */
  readonly #known = new Map<string, EmbeddedText>();
  /** By lane too: nobody waits in another's turn. */
  readonly #inFlight = new Map<string, Promise<Embedded>>();
  #bytes = 0;
  #hitsTotal = 0;
  #missesTotal = 0;

  constructor(inner: Embedder, { entries = MAX_ENTRIES, bytes = MAX_BYTES }: Partial<CacheLimits> = {}) {
    this.#inner = inner;
    this.#limits = { entries, bytes };
  }

  get model(): string {
    return this.#inner.model;
  }

  get dimensions(): number {
    return this.#inner.dimensions;
  }

  get capacity(): EmbedderCapacity {
    return this.#inner.capacity;
  }

  async embed(texts: readonly string[], options: EmbedOptions = {}): Promise<(Float32Array | RefusedText)[]> {
    if (options.priority !== 'query') return this.#inner.embed(texts, options);
    return (await this.embedWithTokens(texts, options)).map((one) => (one instanceof RefusedText ? one : one.vector.slice()));
  }

  async embedWithTokens(texts: readonly string[], options: EmbedOptions = {}): Promise<Embedded[]> {
    if (options.priority !== 'query') return embedTexts(this.#inner, texts, options);
    options.signal?.throwIfAborted();
    const unique = [...new Set(texts)];
    const known = new Map(unique.map((text) => [text, this.#find(text) ?? this.#findInFlight(text, options)]));
    const missing = unique.filter((text) => !known.get(text));
    const computed = this.#compute(missing, options);
    const answers = await Promise.all(unique.map((text) => known.get(text) ?? (computed.get(text) as Promise<Embedded>)));
    const answerOf = new Map(unique.map((text, index) => [text, answers[index] as Embedded]));
    return texts.map((text) => answerOf.get(text) as Embedded);
  }

  ready(): Promise<void> {
    return this.#inner.ready();
  }

  gauges(): Record<string, number> {
    return {
      ...this.#inner.gauges(),
      cached_queries: this.#known.size,
      cached_query_bytes: this.#bytes,
      cache_hits_total: this.#hitsTotal,
      cache_misses_total: this.#missesTotal,
    };
  }

  async close(): Promise<void> {
    this.#known.clear();
    this.#bytes = 0;
    await this.#inner.close();
  }

  #find(text: string): EmbeddedText | undefined {
    const known = this.#known.get(text);
    if (!known) return undefined;
    this.#hitsTotal++;
    this.#known.delete(text);
    this.#known.set(text, known);
    return known;
  }

  /** What one request searches in three places is computed once. A failure is not shared: whoever waited asks for itself. */
  #findInFlight(text: string, options: EmbedOptions): Promise<Embedded> | undefined {
    const inFlight = options.signal ? undefined : this.#inFlight.get(inFlightKey(text, options));
    if (!inFlight) return undefined;
    this.#hitsTotal++;
    return inFlight.catch(async () => (await embedTexts(this.#inner, [text], options))[0] as Embedded);
  }

  #compute(texts: readonly string[], options: EmbedOptions): Map<string, Promise<Embedded>> {
    if (texts.length === 0) return new Map();
    this.#missesTotal += texts.length;
    const made = embedTexts(this.#inner, texts, options);
    return new Map(
      texts.map((text, index) => {
        const answer = made.then((all) => {
          const own = all[index] as Embedded;
          if (!(own instanceof RefusedText)) this.#keep(text, own);
          return own;
        });
        if (!options.signal) this.#share(inFlightKey(text, options), answer);
        return [text, answer];
      }),
    );
  }

  #share(key: string, answer: Promise<Embedded>): void {
    this.#inFlight.set(key, answer);
    const forget = () => {
      if (this.#inFlight.get(key) === answer) this.#inFlight.delete(key);
    };
    answer.then(forget, forget);
  }

  #keep(text: string, embedded: EmbeddedText): void {
    if (text.length > MAX_CHARACTERS) return;
    this.#forget(text);
    this.#known.set(text, embedded);
    this.#bytes += bytesOf(text, embedded);
    while (this.#known.size > this.#limits.entries || this.#bytes > this.#limits.bytes) {
      const [oldest] = this.#known.keys();
      if (oldest === undefined) break;
      this.#forget(oldest);
    }
  }

  #forget(text: string): void {
    const known = this.#known.get(text);
    if (known && this.#known.delete(text)) this.#bytes -= bytesOf(text, known);
  }
}

function bytesOf(text: string, { vector, tokenCodes, questionTokens }: EmbeddedText): number {
  return 2 * text.length + vector.byteLength + (tokenCodes?.byteLength ?? 0) + (questionTokens?.components.byteLength ?? 0);
}

function inFlightKey(text: string, { lane = '' }: EmbedOptions): string {
  return `${lane} ${text}`;
}
