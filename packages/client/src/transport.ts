/** Sends requests: with the key, in time, again where that helps, and a write once in effect. */
import { APIConnectionError, APIConnectionTimeoutError, APIError, errorOf, NotFoundError } from './errors.ts';
import { fillPath, type Ids, type Query, queryText } from './paths.ts';
import { progressBody, type UploadProgress } from './progress.ts';
import { abortError, delayMs, isRetriedStatus, isUncertainStatus, retryAfterMs, sleep } from './retries.ts';
import type { Settings } from './settings.ts';
import { VERSION } from './version.ts';

/** The last argument of every operation. */
export interface RequestOptions {
  /** Ends the request, with its retries and waits. */
  signal?: AbortSignal;
  /** Of one try. */
  timeoutMs?: number;
  maxRetries?: number;
  /** Of a write: the same key is the same write, for 24 hours. Made anew for each call unless told. */
  idempotencyKey?: string;
  headers?: Readonly<Record<string, string>>;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface Form {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly onProgress: ((progress: UploadProgress) => void) | undefined;
}

/** A body of any size, read once: it is not sent again. */
export interface SentStream {
  readonly contentType: string;
  readonly body: NonNullable<RequestInit['body']>;
}

export interface Operation<Path extends string = string> {
  readonly ids?: Ids<Path>;
  readonly query?: Query;
  readonly body?: object | undefined;
  readonly form?: Form;
  readonly stream?: SentStream;
  /** The answer is read by the caller, as it comes. */
  readonly answersStream?: true;
  readonly headers?: Readonly<Record<string, string>>;
  /** A POST that only reads, such as a search. */
  readonly changesNothing?: true;
  /** Done again, it does nothing more: it needs no key. */
  readonly isRepeatable?: true;
  /** What it deletes takes along the right to see it: once it may have been done, "not found" says that it was. */
  readonly takesAccess?: true;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: ArrayBuffer;
  /** What is read as it comes, where that was asked for. */
  readonly body?: ReadableStream<Uint8Array>;
}

interface Attempt {
  readonly url: string;
  readonly init: RequestInit;
  readonly form: Form | undefined;
  readonly answersStream: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** `POST /workspaces/{workspaceId}/agents`: without ids and labels, fit for a log. */
  readonly name: string;
}

const isBrowser = 'document' in globalThis || 'importScripts' in globalThis;
/** Browsers keep `User-Agent` for themselves. */
const AGENT = { [isBrowser ? 'x-commonplace-client' : 'user-agent']: `commonplace-client/${VERSION}` };

/** What timers hold; a longer one would end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export class Transport {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** The answer of success, or 304 where that was asked for. Throws for every other. */
  async send(method: Method, path: string, operation: Operation, options: RequestOptions = {}): Promise<Answer> {
    const attempt = this.#prepare(method, path, operation, options);
    const maxRetries = options.maxRetries ?? this.#settings.maxRetries;
    let mayBeDone = false;
    for (let retry = 0; ; retry++) {
      let failure: APIError;
      try {
        const answer = await this.#try(attempt);
        if ((answer.status >= 200 && answer.status < 300) || answer.status === 304) return answer;
        failure = errorOf(answer.status, answer.headers, new TextDecoder().decode(answer.bytes));
        if (operation.takesAccess && mayBeDone && failure instanceof NotFoundError)
          return { ...answer, status: 204, bytes: new ArrayBuffer(0) };
        if (!isRetriedStatus(answer.status)) throw failure;
        mayBeDone ||= isUncertainStatus(answer.status);
      } catch (error) {
        if (!(error instanceof APIConnectionError)) throw error;
        failure = error;
        mayBeDone = true;
      }
      const waitMs = retry < maxRetries ? delayMs(retry, retryAfterMs(failure.headers, Date.now())) : undefined;
      if (waitMs === undefined) throw failure;
      this.#settings.logger.warn?.(`${attempt.name}: ${failure.message}; again in ${Math.round(waitMs)} ms`);
      await sleep(waitMs, attempt.signal);
    }
  }

  /** The beginning of an answer that goes on, in one try; the signal ends it. Throws for every other than success. */
  async begin(path: string, operation: Operation, signal: AbortSignal): Promise<Response> {
    const { url, init, name } = this.#prepare('GET', path, operation, {});
    const { fetch, logger, fetchOptions } = this.#settings;
    try {
      const response = await fetch(url, { ...fetchOptions, ...init, signal });
      logger.debug?.(`${name}: ${response.status}`);
      refuseRedirect(response);
      if (response.status !== 200) throw errorOf(response.status, response.headers, await response.text());
      return response;
    } catch (cause) {
      throw cause instanceof APIError ? cause : this.#unanswered(cause);
    }
  }

  get timeoutMs(): number {
    return this.#settings.timeoutMs;
  }

  warn(line: string): void {
    this.#settings.logger.warn?.(line);
  }

  #prepare(method: Method, path: string, operation: Operation, options: RequestOptions): Attempt {
    const { baseUrl, credential, defaultHeaders, timeoutMs } = this.#settings;
    const { ids = {}, query = {}, body, form, stream } = operation;
    const isWrite = method !== 'GET' && !operation.changesNothing && !operation.isRepeatable && !stream;
    const headers: Record<string, string> = {
      accept: 'application/json',
      ...AGENT,
      ...lowerCased(defaultHeaders),
      ...credential,
      ...operation.headers,
      ...(body && { 'content-type': 'application/json' }),
      ...(form && { 'content-type': form.contentType }),
      ...(stream && { 'content-type': stream.contentType }),
      ...(isWrite && { 'idempotency-key': options.idempotencyKey ?? newKey() }),
      ...lowerCased(options.headers ?? {}),
    };
    return {
      url: baseUrl + fillPath(path, ids) + queryText(query),
      // Never followed: a redirect would take the key along to wherever it points.
      init: {
        ...{ method, headers, redirect: 'manual' },
        ...(body && { body: JSON.stringify(body) }),
        ...(stream && ({ body: stream.body, duplex: 'half' } as RequestInit)),
      },
      form,
      answersStream: operation.answersStream ?? false,
      timeoutMs: options.timeoutMs ?? timeoutMs,
      signal: options.signal,
      name: `${method} ${path}`,
    };
  }

  /** One try, to the last byte of its answer, or to the first where the rest is the caller’s to read. */
  async #try({ url, init, form, answersStream, timeoutMs, signal, name }: Attempt): Promise<Answer> {
    if (signal?.aborted) throw abortError(signal);
    const { fetch, logger, fetchOptions } = this.#settings;
    const controller = new AbortController();
    const abort = () => controller.abort();
    signal?.addEventListener('abort', abort, { once: true });
    const timer = setTimeout(abort, Math.min(timeoutMs, LONGEST_TIMER_MS));
    // What a callback throws is the caller's own, and no reason to send again.
    let thrown: { readonly error: unknown } | undefined;
    let isBegun = false;
    const onProgress = (progress: UploadProgress) => {
      try {
        form?.onProgress?.(progress);
      } catch (error) {
        thrown = { error };
        throw error;
      }
    };
    try {
      const response = await fetch(url, {
        ...fetchOptions,
        ...init,
        ...(form && progressBody({ bytes: form.bytes, onProgress: form.onProgress && onProgress }, !isBrowser)),
        signal: controller.signal,
      });
      const body = answersStream && response.ok ? response.body : null;
      isBegun = body !== null;
      const bytes = body ? new ArrayBuffer(0) : await response.arrayBuffer();
      logger.debug?.(`${name}: ${response.status}`);
      refuseRedirect(response);
      if (form && isBrowser) onProgress({ sentBytes: form.bytes.length, totalBytes: form.bytes.length });
      return { status: response.status, headers: response.headers, bytes, ...(body && { body }) };
    } catch (cause) {
      if (thrown) throw thrown.error;
      if (cause instanceof APIError) throw cause;
      if (signal?.aborted) throw abortError(signal);
      if (controller.signal.aborted) throw new APIConnectionTimeoutError(`No answer within ${timeoutMs} ms`, { cause });
      throw this.#unanswered(cause);
    } finally {
      clearTimeout(timer);
      // Until its end, what is read as it comes is aborted with the signal.
      if (!isBegun) signal?.removeEventListener('abort', abort);
    }
  }

  #unanswered(cause: unknown): APIConnectionError {
    return new APIConnectionError(`No answer from ${this.#settings.baseUrl}: ${reasonOf(cause)}`, { cause });
  }
}

function refuseRedirect({ type, status, headers }: Response): void {
  if (type !== 'opaqueredirect' && (status < 300 || status >= 400 || status === 304)) return;
  throw new APIError('The service redirects; give its address as it is in the end as baseUrl', { status, headers });
}

/** The JSON of an answer; undefined where it has none. */
export function parseAnswer<T>({ status, headers, bytes }: Answer): T {
  const text = new TextDecoder().decode(bytes);
  if (text === '') return undefined as T;
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new APIError('The answer is no JSON; is the baseUrl that of the service?', { status, headers, cause });
  }
}

/** Runtimes hide it behind "fetch failed". */
export function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string };
  return cause?.code || cause?.message || message || String(error);
}

/** 128 random bits; `crypto.randomUUID` is not there on pages without https. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
