/** A model behind an OpenAI-compatible endpoint: batches, a few requests at once, tries with a limit in time. */
import { SERVICE_LANE } from '../../lanes/current-lane.ts';
import type { Log } from '../../logging.ts';
import { RemoteClient } from '../../remote/client.ts';
import type { Endpoint } from '../../remote/endpoint.ts';
import type { RemoteAnswer } from '../../remote/post.ts';
import { Slots } from '../../remote/slots.ts';
import { type Embedder, EmbedderUnavailable, EmbedderUnusable, type EmbedOptions, type Priority, RefusedText } from './embedder.ts';
import { embeddings, readVectors } from './endpoint.ts';

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

interface Asked {
  readonly priority: Priority;
  readonly lane: string;
  readonly signal: AbortSignal;
}

export class RemoteEmbedder implements Embedder {
  readonly model: string;
  readonly #requestedModel: string;
  readonly #limits: RemoteLimits;
  readonly #slots: Slots;
  readonly #client: RemoteClient;
  readonly #closing = new AbortController();
  #dimensions = 0;
  #textsTotal = 0;
  #refusalsTotal = 0;

  constructor({ url, model, apiKey, log, limits }: RemoteOptions) {
    this.#limits = { ...defaultLimits, ...limits };
    const { maxRequests, maxWaiting, timeoutMs, breakAfter, pauseMs } = this.#limits;
    const onPause = (err: unknown) =>
      log?.warn({ model: this.model, err }, 'The embeddings endpoint keeps failing; search goes on by words');
    this.#client = new RemoteClient({ service: embeddings, endpoint: { url, model, apiKey }, timeoutMs, breakAfter, pauseMs, onPause });
    const refusal = () => new EmbedderUnavailable('Too many texts wait for their vectors; try again shortly.');
    this.#slots = new Slots(maxRequests, maxWaiting, refusal);
    this.#requestedModel = model;
    // The host alone, without what may be secret: it is stored with every vector.
    this.model = `${model}@${new URL(url).host}`;
  }

  get dimensions(): number {
    return this.#dimensions;
  }

  async embed(
    texts: readonly string[],
    { priority = 'background', lane = SERVICE_LANE, signal }: EmbedOptions = {},
  ): Promise<(Float32Array | RefusedText)[]> {
    signal?.throwIfAborted();
    // The first batch that fails ends the others.
    const failing = new AbortController();
    const stop = AbortSignal.any([this.#closing.signal, failing.signal, ...(signal ? [signal] : [])]);
    try {
      const asked = { priority, lane, signal: stop };
      const vectors = await Promise.all(this.#batches(texts).map((batch) => this.#embedBatch(batch, asked)));
      return vectors.flat();
    } catch (error) {
      failing.abort(error);
      throw error;
    }
  }

  async ready(): Promise<void> {
    await this.#requireAnswer({ priority: 'query', lane: SERVICE_LANE, signal: this.#closing.signal });
  }

  gauges(): Record<string, number> {
    return {
      requests: this.#slots.taken,
      waiting_batches: this.#slots.waiting,
      texts_total: this.#textsTotal,
      refusals_total: this.#refusalsTotal,
      ...this.#client.gauges(),
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

  /** Where a batch is refused, halves of it are asked for until the texts stand alone that the endpoint does not take. */
  async #embedBatch(texts: readonly string[], asked: Asked): Promise<(Float32Array | RefusedText)[]> {
    const answer = await this.#ask(texts, asked);
    if (!(answer instanceof RefusedText)) return answer;
    // One that takes no text at all is at fault itself.
    await this.#requireAnswer(asked);
    return this.#embedHalves(texts, answer, asked);
  }

  async #embedHalves(texts: readonly string[], refused: RefusedText, asked: Asked): Promise<(Float32Array | RefusedText)[]> {
    if (texts.length === 1) return [refused];
    const middle = Math.ceil(texts.length / 2);
    const found: (Float32Array | RefusedText)[] = [];
    for (const half of [texts.slice(0, middle), texts.slice(middle)]) {
      const answer = await this.#ask(half, asked);
      found.push(...(answer instanceof RefusedText ? await this.#embedHalves(half, answer, asked) : answer));
    }
    return found;
  }

  async #requireAnswer(asked: Asked): Promise<void> {
    const answer = await this.#ask(['ready'], asked);
    if (answer instanceof RefusedText) throw new EmbedderUnusable(answer.reason);
  }

  async #ask(texts: readonly string[], { priority, lane, signal }: Asked): Promise<Float32Array[] | RefusedText> {
    const { maxTries, totalMs, firstBackoffMs } = this.#limits;
    const read = ({ status, body }: RemoteAnswer) => {
      if (status >= 400) return new RefusedText(`The embeddings endpoint answered ${status}.`);
      const vectors = readVectors(body, texts.length);
      this.#holdDimensions(vectors);
      return vectors;
    };
    const body = { model: this.#requestedModel, input: texts, encoding_format: 'float' };
    const answer = await this.#client.ask(body, read, {
      maxTries: maxTries[priority],
      totalMs: totalMs[priority],
      firstBackoffMs,
      signal,
      takeSlot: () => this.#slots.take(signal, { urgent: priority === 'query', lane }),
    });
    if (answer instanceof RefusedText) this.#refusalsTotal++;
    else this.#textsTotal += texts.length;
    return answer;
  }

  #holdDimensions(vectors: readonly Float32Array[]): void {
    for (const { length } of vectors) {
      if (this.#dimensions === 0) this.#dimensions = length;
      if (length !== this.#dimensions) {
        throw new EmbedderUnusable(`The embeddings endpoint answered ${length} dimensions where it had answered ${this.#dimensions}.`);
      }
    }
  }
}
