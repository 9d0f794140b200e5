/** A model behind an OpenAI-compatible endpoint: batches as large as it takes well, a few requests at once, tries with a limit in time. */
import { SERVICE_LANE } from '../../lanes/current-lane.ts';
import type { Log } from '../../logging.ts';
import { RemoteClient } from '../../remote/client.ts';
import type { Endpoint } from '../../remote/endpoint.ts';
import { type RemoteAnswer, TryFailed } from '../../remote/post.ts';
import { Slots } from '../../remote/slots.ts';
import { type BatchLimits, BatchSize } from './batch-size.ts';
import {
  type Embedder,
  type EmbedderCapacity,
  EmbedderUnavailable,
  EmbedderUnusable,
  type EmbedOptions,
  type Priority,
  RefusedText,
} from './embedder.ts';
import { AnswerReader, embeddings } from './endpoint.ts';

export interface RemoteOptions extends Endpoint {
  readonly log?: Log | undefined;
  readonly limits?: Partial<RemoteLimits> | undefined;
}

export interface RemoteLimits extends BatchLimits {
  /** For one try. */
  readonly timeoutMs: number;
  readonly maxTries: Readonly<Record<Priority, number>>;
  /** For all tries of a batch and the waits between them. */
  readonly totalMs: Readonly<Record<Priority, number>>;
  /** The longest wait before the second try; it doubles with each one after. */
  readonly firstBackoffMs: number;
  /** Of these, one is for queries alone. */
  readonly maxRequests: number;
  /** Batches that may wait for a free request; more are refused. */
  readonly maxWaiting: number;
  /** Below what endpoints allow in tokens (300,000 in a request to OpenAI), whatever the language. */
  readonly maxBatchCharacters: number;
  readonly maxTextCharacters: number;
  /** Of an answer, as far as it can be told from those before it. */
  readonly maxAnswerBytes: number;
  /** Failed tries in a row, after which nobody tries for `pauseMs`. */
  readonly breakAfter: number;
  readonly pauseMs: number;
}

const defaultLimits: RemoteLimits = {
  timeoutMs: 10_000,
  maxTries: { query: 2, background: 4 },
  totalMs: { query: 12_000, background: 60_000 },
  firstBackoffMs: 250,
  maxRequests: 5,
  maxWaiting: 1_000,
  maxBatchTexts: 512,
  fastMs: 1_000,
  slowMs: 4_000,
  maxBatchCharacters: 200_000,
  maxTextCharacters: 8_000,
  maxAnswerBytes: 4 * 1024 * 1024,
  breakAfter: 4,
  pauseMs: 5_000,
};

const RESERVED_FOR_QUERIES = 1;
/** Calls whose texts are read or whose vectors are stored, while the others are under way. */
const CALLS_ASIDE = 2;

type Encoding = 'base64' | 'float';

class Refusal {
  readonly reason: string;
  /** That was asked for. */
  readonly encoding: Encoding;
  constructor(reason: string, encoding: Encoding) {
    this.reason = reason;
    this.encoding = encoding;
  }
}

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
  readonly #answers: AnswerReader;
  readonly #batchSize: BatchSize;
  readonly #closing = new AbortController();
  /** A tenth of the work to read; who does not know it answers numbers all the same, or refuses. */
  #encoding: Encoding = 'base64';
  #isEncodingKnown = false;
  #answerBytesOfText = 0;
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
    this.#slots = new Slots(maxRequests, maxWaiting, refusal, RESERVED_FOR_QUERIES);
    this.#batchSize = new BatchSize(this.#limits);
    this.#answers = new AnswerReader(log);
    this.#requestedModel = model;
    // The host alone, without what may be secret: it is stored with every vector.
    this.model = `${model}@${new URL(url).host}`;
  }

  get dimensions(): number {
    return this.#dimensions;
  }

  get capacity(): EmbedderCapacity {
    const requests = Math.max(1, this.#limits.maxRequests - RESERVED_FOR_QUERIES);
    return { texts: this.#batchTexts, calls: requests + CALLS_ASIDE, isLocal: false };
  }

  get #batchTexts(): number {
    const { maxAnswerBytes } = this.#limits;
    const readable = this.#answerBytesOfText === 0 ? Number.POSITIVE_INFINITY : Math.floor(maxAnswerBytes / this.#answerBytesOfText);
    return Math.max(1, Math.min(this.#batchSize.texts, readable));
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
      batch_texts: this.#batchTexts,
      texts_total: this.#textsTotal,
      refusals_total: this.#refusalsTotal,
      ...this.#client.gauges(),
    };
  }

  async close(): Promise<void> {
    this.#closing.abort(new EmbedderUnavailable('The embedder is closed.'));
    await this.#answers.close();
  }

  #batches(texts: readonly string[]): string[][] {
    const { maxBatchCharacters, maxTextCharacters } = this.#limits;
    const maxBatchTexts = this.#batchTexts;
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
    if (!(answer instanceof Refusal)) return answer;
    // One that takes no text at all is at fault itself.
    await this.#requireAnswer(asked);
    return answer.encoding === this.#encoding ? this.#embedHalves(texts, answer, asked) : this.#embedBatch(texts, asked);
  }

  async #embedHalves(texts: readonly string[], refusal: Refusal, asked: Asked): Promise<(Float32Array | RefusedText)[]> {
    if (texts.length === 1) return [new RefusedText(refusal.reason)];
    const middle = Math.ceil(texts.length / 2);
    const found: (Float32Array | RefusedText)[] = [];
    for (const half of [texts.slice(0, middle), texts.slice(middle)]) {
      const answer = await this.#ask(half, asked);
      found.push(...(answer instanceof Refusal ? await this.#embedHalves(half, answer, asked) : answer));
    }
    if (!found.some((vector) => vector instanceof RefusedText)) this.#batchSize.noteRefusal(texts.length);
    return found;
  }

  async #requireAnswer(asked: Asked): Promise<void> {
    let answer = await this.#ask(['ready'], asked);
    if (answer instanceof Refusal && this.#leaveEncoding(answer.encoding)) answer = await this.#ask(['ready'], asked);
    if (answer instanceof Refusal) throw new EmbedderUnusable(answer.reason);
  }

  /** It may be the encoding that is at fault, as long as there was no answer in any. Whether there is another one to try. */
  #leaveEncoding(encoding: Encoding): boolean {
    if (!this.#isEncodingKnown && this.#encoding === encoding) this.#encoding = encoding === 'base64' ? 'float' : 'base64';
    return this.#encoding !== encoding;
  }

  async #ask(texts: readonly string[], { priority, lane, signal }: Asked): Promise<Float32Array[] | Refusal> {
    const { maxTries, totalMs, firstBackoffMs } = this.#limits;
    let sent = { encoding: this.#encoding, atMs: 0 };
    const makeBody = () => {
      sent = { encoding: this.#encoding, atMs: performance.now() };
      return { model: this.#requestedModel, input: texts, encoding_format: sent.encoding };
    };
    const read = async ({ status, body }: RemoteAnswer) => {
      if (status >= 400) return new Refusal(`The embeddings endpoint answered ${status}.`, sent.encoding);
      const tookMs = performance.now() - sent.atMs;
      const vectors = await this.#answers.read(body, texts.length, priority === 'query');
      this.#holdDimensions(vectors);
      if (!this.#isEncodingKnown) this.#encoding = sent.encoding;
      this.#isEncodingKnown = true;
      this.#answerBytesOfText = Math.ceil(body.byteLength / texts.length);
      this.#batchSize.noteAnswer(texts.length, tookMs);
      return vectors;
    };
    const answer = await this.#client.ask<Float32Array[] | Refusal>(makeBody, read, {
      maxTries: maxTries[priority],
      totalMs: totalMs[priority],
      firstBackoffMs,
      signal,
      takeSlot: () => this.#slots.take(signal, { urgent: priority === 'query', lane }),
      onFailedTry: (error) => {
        const status = error instanceof TryFailed ? error.status : undefined;
        // Too often is not too much.
        if (status !== 429) this.#batchSize.noteFailure(texts.length);
        if (status !== undefined && status >= 500) this.#leaveEncoding(sent.encoding);
      },
    });
    if (answer instanceof Refusal) this.#refusalsTotal++;
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
