/** One request to an OpenAI-compatible embeddings endpoint. Neither the key nor a text ever stands in an error. */
import { EmbedderUnavailable, EmbedderUnusable, normalize } from './embedder.ts';

export interface Endpoint {
  /** As configured: what `/embeddings` is added to. */
  readonly url: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
}

/** A try that failed; `retryAfterMs` is what the endpoint asked for. */
export class TryFailed extends Error {
  readonly retryAfterMs: number | undefined;
  constructor(message: string, options: { cause?: unknown; retryAfterMs?: number | undefined } = {}) {
    super(message, { cause: options.cause });
    this.name = 'TryFailed';
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The endpoint as it can be asked. Refuses what `fetch` would refuse with a message that quotes the secret. */
export function checkEndpoint({ url, model, apiKey }: Endpoint): Endpoint {
  const target = new URL(url);
  if (target.username || target.password) {
    throw new EmbedderUnusable('COMMONPLACE_EMBEDDINGS_URL has a user or a password in it; use COMMONPLACE_EMBEDDINGS_API_KEY.');
  }
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new EmbedderUnusable('COMMONPLACE_EMBEDDINGS_API_KEY has characters that a header can not carry.');
  }
  target.pathname = `${target.pathname.replace(/\/+$/, '')}/embeddings`;
  return { url: target.href, model, apiKey };
}

const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/** `endpoint` is a checked one. Throws `TryFailed` where another try may help and `EmbedderUnusable` where it will not; an abort as it is. */
export async function requestVectors(endpoint: Endpoint, texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
  let body: string;
  try {
    const response = await fetch(endpoint.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(endpoint.apiKey && { authorization: `Bearer ${endpoint.apiKey}` }) },
      body: JSON.stringify({ model: endpoint.model, input: texts, encoding_format: 'float' }),
      // Wherever it may lead, the key does not go there.
      redirect: 'error',
      signal,
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw refusal(response);
    }
    body = await readBounded(response);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TryFailed || error instanceof EmbedderUnusable) throw error;
    throw new TryFailed('The embeddings endpoint could not be reached', { cause: error });
  }
  return readVectors(body, texts.length);
}

function refusal({ status, headers }: Response): Error {
  if (status === 429 || status === 408 || status >= 500) {
    return new TryFailed(`The embeddings endpoint answered ${status}`, { retryAfterMs: retryAfterMs(headers.get('retry-after')) });
  }
  const hints: Record<number, string> = {
    401: '; check COMMONPLACE_EMBEDDINGS_API_KEY',
    403: '; check COMMONPLACE_EMBEDDINGS_API_KEY',
    404: '; check COMMONPLACE_EMBEDDINGS_URL and COMMONPLACE_EMBEDDINGS_MODEL',
  };
  return new EmbedderUnusable(`The embeddings endpoint answered ${status}${hints[status] ?? ''}.`);
}

/** Seconds or a date. */
export function retryAfterMs(header: string | null, nowMs: number = Date.now()): number | undefined {
  if (!header) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER_BYTES) throw new EmbedderUnusable(`The embeddings endpoint answered more than ${MAX_ANSWER_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function readVectors(body: string, count: number): Float32Array[] {
  let answer: { data?: unknown } | null;
  try {
    answer = JSON.parse(body) as typeof answer;
  } catch (cause) {
    // A parser's message quotes what it read.
    throw new TryFailed('The embeddings endpoint answered with broken JSON', { cause: new Error((cause as Error).name) });
  }
  const data = answer?.data;
  if (!Array.isArray(data)) throw new EmbedderUnusable('The embeddings endpoint answered without a list called "data".');
  if (data.length !== count) throw new EmbedderUnusable(`The embeddings endpoint answered ${data.length} vectors for ${count} texts.`);
  const vectors: Float32Array[] = [];
  for (const [position, item] of (data as ({ index?: unknown; embedding?: unknown } | null)[]).entries()) {
    const index = item?.index ?? position;
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count || vectors[index]) {
      throw new EmbedderUnusable('The embeddings endpoint answered vectors whose indexes do not match the texts.');
    }
    vectors[index] = readVector(item?.embedding);
  }
  return vectors;
}

function readVector(embedding: unknown): Float32Array {
  if (!Array.isArray(embedding) || !embedding.every((value) => typeof value === 'number')) {
    throw new EmbedderUnusable('The embeddings endpoint answered a vector that is not a list of numbers.');
  }
  const vector = Float32Array.from(embedding);
  if (!normalize(vector)) throw new EmbedderUnavailable('The embeddings endpoint answered a vector without a direction.');
  return vector;
}
