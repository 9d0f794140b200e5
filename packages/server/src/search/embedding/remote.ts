/** A model behind an OpenAI-compatible endpoint: batches, a few requests at once, tries with a limit in time. */
import { CircuitBreaker } from './circuit-breaker.ts';
import { type Embedder, EmbedderUnavailable, EmbedderUnusable, type EmbedOptions, type Log, type Priority } from './embedder.ts';
import { checkEndpoint, type Endpoint, requestVectors, TryFailed } from './endpoint.ts';
import { Slots } from './slots.ts';

export interface RemoteOptions extends Endpoint {
  readonly log?: Log | undefined;
  readonly limits?: Partial<RemoteLimits> | undefined;
}

export interface RemoteLimits {
  /** For one try. */
  readonly timeoutMs: number;
  readonly maxTries: Readonly<Record<Priority, number>>;
  /** For all tries of a batch and the waits between them. */
  readonly totalMs: Readonly<Record<Priority, number>>;
  /** The longest wait before the second try; it doubles with each one after. */
  readonly firstBackoffMs: number;
  readonly maxRequests: number;
  /** Batches that may wait for a free request; more are refused. */
  readonly maxWaiting: number;
  readonly maxBatchTexts: number;
  readonly maxBatchCharacters: number;
  readonly maxTextCharacters: number;
  /** Failed tries in a row, after which nobody tries for `pauseMs`. */
  readonly breakAfter: number;
  readonly pauseMs: number;
}

const defaultLimits: RemoteLimits = {
  timeoutMs: 10_000,
  maxTries: { query: 2, background: 4 },
  totalMs: { query: 12_000, background: 60_000 },
  firstBackoffMs: 250,
  maxRequests: 4,
  maxWaiting: 1_000,
  maxBatchTexts: 64,
  maxBatchCharacters: 200_000,
  maxTextCharacters: 8_000,
  breakAfter: 4,
  pauseMs: 5_000,
};

export class RemoteEmbedder implements Embedder {
  readonly model: string;
  readonly #endpoint: Endpoint;
  readonly #limits: RemoteLimits;
  readonly #log: Log | undefined;
  readonly #slots: Slots;
  readonly #breaker: CircuitBreaker;
  readonly #closing = new AbortController();
  #dimensions = 0;
  #textsTotal = 0;
  #failedTriesTotal = 0;

  constructor({ url, model, apiKey, log, limits }: RemoteOptions) {
    this.#endpoint = checkEndpoint({ url, model, apiKey });
    // The host alone, without what may be secret: it is stored with every vector.
    this.model = `${model}@${new URL(url).host}`;
    this.#log = log;
    this.#limits = { ...defaultLimits, ...limits };
    this.#slots = new Slots(this.#limits.maxRequests, this.#limits.maxWaiting);
    this.#breaker = new CircuitBreaker(this.#limits.breakAfter, this.#limits.pauseMs);
  }

  get dimensions(): number {
    return this.#dimensions;
  }

  async embed(texts: readonly string[], { priority = 'background', signal }: EmbedOptions = {}): Promise<Float32Array[]> {
    signal?.throwIfAborted();
    // The first batch that fails ends the others.
    const failing = new AbortController();
    const stop = AbortSignal.any([this.#closing.signal, failing.signal, ...(signal ? [signal] : [])]);
    try {
      const vectors = await Promise.all(this.#batches(texts).map((batch) => this.#embedBatch(batch, priority, stop)));
      return vectors.flat();
    } catch (error) {
      failing.abort(error);
      throw error;
    }
  }

  async ready(): Promise<void> {
    await this.embed(['ready'], { priority: 'query' });
  }

  gauges(): Record<string, number> {
    return {
      requests: this.#slots.taken,
      waiting_batches: this.#slots.waiting,
      circuit_open: Number(this.#breaker.open),
      texts_total: this.#textsTotal,
      failed_tries_total: this.#failedTriesTotal,
    };
  }

  async close(): Promise<void> {
    this.#closing.abort(new EmbedderUnavailable('The embedder is closed.'));
  }

  #batches(texts: readonly string[]): string[][] {
    const { maxBatchTexts, maxBatchCharacters, maxTextCharacters } = this.#limits;
    const batches: string[][] = [];
    let batch: string[] = [];
    let characters = 0;
    for (const whole of texts) {
      // Endpoints refuse an empty text, and half of a pair of surrogates.
      const text = whole.slice(0, maxTextCharacters).toWellFormed() || ' ';
      if (batch.length === 0 || batch.length >= maxBatchTexts || characters + text.length > maxBatchCharacters) {
        batch = [];
        batches.push(batch);
        characters = 0;
      }
      batch.push(text);
      characters += text.length;
    }
    return batches;
  }

  async #embedBatch(texts: readonly string[], priority: Priority, signal: AbortSignal): Promise<Float32Array[]> {
    const deadlineMs = performance.now() + this.#limits.totalMs[priority];
    for (let tries = 1; ; tries++) {
      try {
        return await this.#try(texts, priority, deadlineMs, signal);
      } catch (error) {
        if (!(error instanceof TryFailed)) throw error;
        const waitMs = error.retryAfterMs ?? this.#backoffMs(tries);
        const late = performance.now() + waitMs >= deadlineMs;
        if (tries >= this.#limits.maxTries[priority] || late) {
          throw new EmbedderUnavailable(`${error.message} (tried ${tries} times).`, {
            cause: error,
            retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
          });
        }
        await pause(waitMs, signal);
      }
    }
  }

  async #try(texts: readonly string[], priority: Priority, deadlineMs: number, signal: AbortSignal): Promise<Float32Array[]> {
    const release = await this.#slots.take(priority, signal);
    try {
      const waitMs = this.#breaker.enter();
      if (waitMs > 0) {
        throw new EmbedderUnavailable('The embeddings endpoint keeps failing and is not asked for some seconds.', {
          retryAfterSeconds: Math.ceil(waitMs / 1000),
        });
      }
      const timeoutMs = Math.max(1, Math.ceil(Math.min(this.#limits.timeoutMs, deadlineMs - performance.now())));
      const vectors = await this.#request(texts, timeoutMs, signal);
      this.#breaker.succeeded();
      this.#textsTotal += texts.length;
      return vectors;
    } finally {
      release();
    }
  }

  async #request(texts: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<Float32Array[]> {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const vectors = await requestVectors(this.#endpoint, texts, AbortSignal.any([signal, timeout]));
      this.#holdDimensions(vectors);
      return vectors;
    } catch (error) {
      // A caller that gave up says nothing about the endpoint, unless it gave up because of the time.
      if (signal.aborted && !isTimeout(signal.reason)) throw signal.reason;
      this.#failedTriesTotal++;
      if (this.#breaker.failed()) {
        this.#log?.warn({ model: this.model, err: error }, 'The embeddings endpoint keeps failing; search goes on by words');
      }
      if (signal.aborted) throw signal.reason;
      if (timeout.aborted) throw new TryFailed(`The embeddings endpoint did not answer within ${Math.round(timeoutMs) / 1000} s`);
      throw error;
    }
  }

  #holdDimensions(vectors: readonly Float32Array[]): void {
    for (const { length } of vectors) {
      if (this.#dimensions === 0) this.#dimensions = length;
      if (length !== this.#dimensions) {
        throw new EmbedderUnusable(`The embeddings endpoint answered ${length} dimensions where it had answered ${this.#dimensions}.`);
      }
    }
  }

  /** Between half of the wait and all of it, so that what failed together does not come back together. */
  #backoffMs(tries: number): number {
    return this.#limits.firstBackoffMs * 2 ** (tries - 1) * (0.5 + Math.random() / 2);
  }
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError';
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
}
