/** Asks one endpoint: tries with a limit in time, and none at all for a while once it keeps failing. */
import { CircuitBreaker } from './circuit-breaker.ts';
import { checkEndpoint, type Endpoint, type Service } from './endpoint.ts';
import { postJson, type RemoteAnswer, TryFailed } from './post.ts';
import { repeatTries, type TryLimits } from './tries.ts';

export interface RemoteClientOptions {
  readonly service: Service;
  readonly endpoint: Endpoint;
  /** For one try. */
  readonly timeoutMs: number;
  /** Failed tries in a row, after which nobody tries for `pauseMs`. */
  readonly breakAfter: number;
  readonly pauseMs: number;
  /** Called whenever a pause begins, with what failed last. */
  readonly onPause: (error: unknown) => void;
}

export interface AskOptions extends TryLimits {
  readonly signal: AbortSignal;
  /** What each try waits for first; resolves with what gives the place back. */
  readonly takeSlot?: (() => Promise<() => void>) | undefined;
  /** Hears of each try that the endpoint failed at, and not of those that were given up. */
  readonly onFailedTry?: ((error: unknown) => void) | undefined;
}

export class RemoteClient {
  readonly #options: RemoteClientOptions;
  readonly #endpoint: Endpoint;
  readonly #breaker: CircuitBreaker;
  #failedTriesTotal = 0;

  constructor(options: RemoteClientOptions) {
    this.#options = options;
    this.#endpoint = checkEndpoint(options.service, options.endpoint);
    this.#breaker = new CircuitBreaker(options.breakAfter, options.pauseMs);
  }

  gauges(): { readonly circuit_open: number; readonly failed_tries_total: number } {
    return { circuit_open: Number(this.#breaker.open), failed_tries_total: this.#failedTriesTotal };
  }

  /** What `read` makes of the answer. Where it throws, the try has failed. The body is made anew for each try. */
  ask<T>(makeBody: () => object, read: (answer: RemoteAnswer) => T | Promise<T>, options: AskOptions): Promise<T> {
    return repeatTries(this.#options.service, options, options.signal, async (deadlineMs) => {
      const release = await options.takeSlot?.();
      try {
        return await this.#try(makeBody, read, deadlineMs, options);
      } finally {
        release?.();
      }
    });
  }

  async #try<T>(
    makeBody: () => object,
    read: (answer: RemoteAnswer) => T | Promise<T>,
    deadlineMs: number,
    { signal, onFailedTry }: AskOptions,
  ): Promise<T> {
    const { service, timeoutMs: longestMs, onPause } = this.#options;
    const waitMs = this.#breaker.enter();
    if (waitMs > 0) {
      const retryAfterSeconds = Math.ceil(waitMs / 1000);
      throw service.unavailable(`${service.name} keeps failing and is not asked for some seconds.`, { retryAfterSeconds });
    }
    const timeoutMs = Math.max(1, Math.ceil(Math.min(longestMs, deadlineMs - performance.now())));
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const result = await read(await postJson(service, this.#endpoint, makeBody(), AbortSignal.any([signal, timeout])));
      this.#breaker.succeeded();
      return result;
    } catch (error) {
      // A caller that gave up says nothing about the endpoint, unless it gave up because of the time.
      if (signal.aborted && !isTimeout(signal.reason)) throw signal.reason;
      this.#failedTriesTotal++;
      onFailedTry?.(error);
      if (error instanceof TryFailed && error.answered) this.#breaker.succeeded();
      else if (!(service.isAskedWhenBusy && isTooOften(error)) && this.#breaker.failed()) onPause(error);
      if (signal.aborted) throw signal.reason;
      if (timeout.aborted) throw new TryFailed(`${service.name} did not answer within ${Math.round(timeoutMs) / 1000} s`);
      throw error;
    }
  }
}

function isTooOften(error: unknown): boolean {
  return error instanceof TryFailed && error.status === 429;
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError';
}
