/** What turns texts into vectors, whoever computes them: the model inside the process or an endpoint. */

/** More of a text no model reads: what lies further need not even be fetched. */
export const MOST_EMBEDDED_CHARACTERS = 16_384;

/** A text as a model sees it. */
export interface EmbeddedText {
  /** Of length 1. */
  readonly vector: Float32Array;
  /** One code a token, of those that say something: a bit for each component, whether it is above 0. */
  readonly tokenCodes?: Uint8Array | undefined;
  /** Of a query. */
  readonly questionTokens?: QuestionTokens | undefined;
}

/** The words of a question as the model sees them, one after the other. */
export interface QuestionTokens {
  readonly words: readonly string[];
  /** By word: its first token. */
  readonly starts: readonly number[];
  /** Of all tokens, as many components each as the model has dimensions, relative to the largest. */
  readonly components: Int8Array;
}

export interface Embedder {
  /** Stands with every stored vector: vectors of different names are never compared. */
  readonly model: string;
  /** Of a remote model known once `ready()` or the first `embed()` has succeeded; 0 before. */
  readonly dimensions: number;
  /** What it is best given in the background, as far as it is known now. */
  readonly capacity: EmbedderCapacity;
  /** One vector a text, in the same order, each of length 1; for a text that the model does not take, the reason. */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<(Float32Array | RefusedText)[]>;
  /** The same with tokens, where the model gives them. */
  embedWithTokens?(texts: readonly string[], options?: EmbedOptions): Promise<(EmbeddedText | RefusedText)[]>;
  /** Resolves once the model can be used, and rejects with what a person can do about it. */
  ready(): Promise<void>;
  gauges(): Record<string, number>;
  /** What still waits is refused. */
  close(): Promise<void>;
}

/** With tokens where there are some. */
export async function embedTexts(
  embedder: Embedder,
  texts: readonly string[],
  options: EmbedOptions,
): Promise<(EmbeddedText | RefusedText)[]> {
  if (embedder.embedWithTokens) return embedder.embedWithTokens(texts, options);
  const vectors = await embedder.embed(texts, options);
  return vectors.map((vector) => (vector instanceof RefusedText ? vector : { vector }));
}

export interface EmbedderCapacity {
  /** Texts in one call. */
  readonly texts: number;
  /** Calls at a time that keep it busy. */
  readonly calls: number;
  /** Whether it computes on this machine, where requests come first. */
  readonly isLocal: boolean;
}

export interface EmbedOptions {
  /** A query goes before all that is `background` (the default). */
  readonly priority?: Priority | undefined;
  /** The workspace that the texts belong to: those of different ones are taken in turn. */
  readonly lane?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type Priority = 'query' | 'background';

/** The model answers, and does not take this text: another try would not help, and the others have their vectors. */
export class RefusedText {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

/** Vectors can't be had now: too much is waiting, the endpoint fails, the process ends. Search goes on by words. */
export class EmbedderUnavailable extends Error {
  readonly retryAfterSeconds: number;
  constructor(message: string, options: { cause?: unknown; retryAfterSeconds?: number } = {}) {
    super(message, { cause: options.cause });
    this.name = 'EmbedderUnavailable';
    this.retryAfterSeconds = options.retryAfterSeconds ?? 1;
  }
}

/** Vectors can't be had until a person acts; the message says what is wrong. */
export class EmbedderUnusable extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'EmbedderUnusable';
  }
}

/** Scales to length 1 in place. False where there is no direction to keep: zeros, or numbers that are not finite. */
export function normalize(vector: Float32Array): boolean {
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (!(sum > 0 && Number.isFinite(sum))) return false;
  const scale = 1 / Math.sqrt(sum);
  for (let index = 0; index < vector.length; index++) vector[index] = (vector[index] as number) * scale;
  return true;
}
