/** One request to an endpoint. Neither the key nor what is sent ever stands in an error. */
import type { Endpoint, Service } from './endpoint.ts';

export interface RemoteAnswer {
  readonly status: number;
  readonly body: Buffer;
}

/** A try that failed; `retryAfterMs` is what the endpoint asked for. */
export class TryFailed extends Error {
  readonly retryAfterMs: number | undefined;
  /** It did answer, only not with what was asked for: no reason to stop asking. */
  readonly answered: boolean;
  /** Of the answer, where it was a refusal. */
  readonly status: number | undefined;
  constructor(message: string, options: { cause?: unknown; retryAfterMs?: number | undefined; answered?: boolean; status?: number } = {}) {
    super(message, { cause: options.cause });
    this.name = 'TryFailed';
    this.retryAfterMs = options.retryAfterMs;
    this.answered = options.answered ?? false;
    this.status = options.status;
  }
}

/** `endpoint` is a checked one. Throws `TryFailed` where another try may help and what is unusable where it will not; an abort as it is. */
export async function postJson(service: Service, endpoint: Endpoint, body: object, signal: AbortSignal): Promise<RemoteAnswer> {
  const request = fetch(endpoint.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(endpoint.apiKey && { authorization: `Bearer ${endpoint.apiKey}` }) },
    body: JSON.stringify(body),
    // Wherever it may lead, the key does not go there.
    redirect: 'error',
    signal,
  });
  const response = await reached(service, signal, request);
  if (!response.ok && !service.readableRefusals?.includes(response.status)) {
    await reached(service, signal, Promise.resolve(response.body?.cancel()));
    throw refusal(service, response);
  }
  const answer = await reached(service, signal, readBounded(response, service.maxAnswerBytes));
  if (answer === undefined) throw service.unusable(`${service.name} answered more than ${service.maxAnswerBytes} bytes.`);
  return { status: response.status, body: answer };
}

export function parseJson(service: Service, body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (cause) {
    // A parser's message quotes what it read.
    throw new TryFailed(`${service.name} answered with broken JSON`, { cause: new Error((cause as Error).name) });
  }
}

async function reached<T>(service: Service, signal: AbortSignal, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (cause) {
    signal.throwIfAborted();
    throw new TryFailed(`${service.name} could not be reached`, { cause });
  }
}

function refusal({ name, variables, unusable }: Service, { status, headers }: Response): Error {
  if (status === 429 || status === 408 || status >= 500) {
    return new TryFailed(`${name} answered ${status}`, {
      status,
      retryAfterMs: retryAfterMs(headers.get('retry-after'), Date.parse(headers.get('date') ?? '')),
    });
  }
  const hints: Record<number, string> = {
    401: `; check ${variables.apiKey}`,
    403: `; check ${variables.apiKey}`,
    404: `; check ${variables.url} and ${variables.model}`,
  };
  return unusable(`${name} answered ${status}${hints[status] ?? ''}.`);
}

/** Seconds or a date, which is held against that of the answer: it is of the same clock. */
export function retryAfterMs(header: string | null, answeredAtMs = Number.NaN): number | undefined {
  if (!header) return undefined;
  const nowMs = Number.isNaN(answeredAtMs) ? Date.now() : answeredAtMs;
  const ms = /^\d+(\.\d+)?$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

/** Nothing where there is more than that. */
async function readBounded(response: Response, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
