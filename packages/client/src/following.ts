/** Events as they come, over one connection after another: none twice, and none missed. */
import { APIConnectionError, APIConnectionTimeoutError, APIError } from './errors.ts';
import { EventStreamParser } from './event-stream.ts';
import { delayMs, isRetriedStatus, retryAfterMs, sleep } from './retries.ts';
import { reasonOf } from './transport.ts';
import type { Event } from './types.ts';

/** The service says something every 15 seconds. */
const LONGEST_SILENCE_MS = 45_000;
/** Whatever the service asks for. */
const LONGEST_PAUSE_MS = 3_600_000;

export interface Followed {
  /** Begins a stream of the events after the last that is known. */
  open(lastId: string | undefined, signal: AbortSignal): Promise<Response>;
  /** For its beginning. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  onConnect(): void;
  onPause(reason: string, waitMs: number): void;
}

/** Reads on when it is asked for the next one: nothing is kept for who is slow. */
export class Following implements AsyncIterableIterator<Event> {
  readonly #followed: Followed;
  readonly #closing = new AbortController();
  readonly #events: AsyncGenerator<Event, void, undefined>;
  #lastId: string | undefined;
  #askedMs = 0;
  /** Connections that failed, one after another. */
  #failures = 0;

  constructor(followed: Followed) {
    this.#followed = followed;
    this.#events = this.#follow();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Event, undefined>> {
    return this.#events.next() as Promise<IteratorResult<Event, undefined>>;
  }

  /** Ends it, while the next one is waited for too. */
  return(): Promise<IteratorResult<Event, undefined>> {
    this.#closing.abort();
    return this.#events.return() as Promise<IteratorResult<Event, undefined>>;
  }

  async *#follow(): AsyncGenerator<Event, void, undefined> {
    const { signal } = this.#followed;
    const closing = this.#closing.signal;
    const close = () => this.#closing.abort();
    signal?.addEventListener('abort', close, { once: true });
    if (signal?.aborted) close();
    try {
      while (!closing.aborted) {
        let failure = new APIError('The stream ended');
        try {
          yield* this.#connect();
        } catch (error) {
          if (closing.aborted) return;
          if (!(error instanceof APIError) || !isHealed(error)) throw error;
          failure = error;
        }
        if (!closing.aborted) await this.#pause(failure).catch(() => undefined);
      }
    } finally {
      signal?.removeEventListener('abort', close);
      close();
    }
  }

  /** The events of one connection, until it ends. */
  async *#connect(): AsyncGenerator<Event, void, undefined> {
    const { open, timeoutMs, onConnect } = this.#followed;
    const closing = this.#closing.signal;
    const connection = new AbortController();
    let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
    const cut = () => {
      connection.abort();
      // What was given in place of `fetch` may know of no signal.
      reader?.cancel().catch(() => undefined);
    };
    let silence: APIConnectionTimeoutError | undefined;
    const giveUp = () => {
      silence = new APIConnectionTimeoutError('Nothing was heard of the service');
      cut();
    };
    closing.addEventListener('abort', cut, { once: true });
    try {
      const response = await unlessLate(open(this.#lastId, connection.signal), Math.min(timeoutMs, LONGEST_SILENCE_MS), giveUp);
      reader = readerOf(response);
      onConnect();
      const parser = new EventStreamParser();
      while (!closing.aborted) {
        const { done, value } = await unlessLate(readFrom(reader), LONGEST_SILENCE_MS, giveUp);
        if (done) break;
        this.#failures = 0;
        for (const { id, data } of parser.parse(value)) {
          if (closing.aborted) return;
          this.#lastId = id || this.#lastId;
          if (data !== undefined) yield eventOf(data, response);
        }
        this.#askedMs = parser.retryMs ?? this.#askedMs;
      }
      if (silence) throw silence;
    } catch (error) {
      throw silence ?? error;
    } finally {
      closing.removeEventListener('abort', cut);
      cut();
    }
  }

  async #pause({ message, headers }: APIError): Promise<void> {
    const askedMs = retryAfterMs(headers, Date.now()) ?? this.#askedMs;
    const waitMs = Math.min(askedMs + (delayMs(this.#failures++, 0) ?? 0), LONGEST_PAUSE_MS);
    this.#followed.onPause(message, waitMs);
    await sleep(waitMs, this.#closing.signal);
  }
}

/** Whether it may be over after a while. */
function isHealed({ status }: APIError): boolean {
  return status === undefined || status >= 500 || isRetriedStatus(status);
}

function readerOf({ status, headers, body }: Response): ReadableStreamDefaultReader<Uint8Array> {
  if (!headers.get('content-type')?.startsWith('text/event-stream'))
    throw new APIError('The answer is no stream of events; is the baseUrl that of the service?', { status, headers });
  if (!body) throw new APIError('The fetch of this client gives no streams', { status, headers });
  return body.getReader();
}

async function readFrom<T>(reader: { read(): Promise<T> }): Promise<T> {
  try {
    return await reader.read();
  } catch (cause) {
    throw new APIConnectionError(`The stream broke: ${reasonOf(cause)}`, { cause });
  }
}

function eventOf(data: string, { status, headers }: Response): Event {
  try {
    return JSON.parse(data) as Event;
  } catch (cause) {
    throw new APIError('An event is no JSON; is the baseUrl that of the service?', { status, headers, cause });
  }
}

async function unlessLate<T>(work: Promise<T>, ms: number, giveUp: () => void): Promise<T> {
  const timer = setTimeout(giveUp, ms);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}
