/** When a request is sent again, and after how long. */
import { APIUserAbortError } from './errors.ts';

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 8_000;
/** Who is asked to wait for longer gets the error at once, and decides. */
export const LONGEST_RETRY_AFTER_MS = 60_000;

const RETRIED_STATUSES = new Set([408, 429, 502, 503, 504]);
/** The service may have done it: a proxy gave up on it, or it could not make sure that every node knows. */
const UNCERTAIN_STATUSES = new Set([408, 502, 503, 504]);

export const isRetriedStatus = (status: number): boolean => RETRIED_STATUSES.has(status);
export const isUncertainStatus = (status: number): boolean => UNCERTAIN_STATUSES.has(status);

/** `Retry-After` as seconds or as a date; undefined when there is none that can be read. */
export function retryAfterMs(headers: Headers | undefined, nowMs: number): number | undefined {
  const value = headers?.get('retry-after')?.trim();
  if (!value) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Exponential with full jitter, on top of what the service asks for. Undefined: not worth waiting. */
export function delayMs(retry: number, askedMs: number | undefined, random: () => number = Math.random): number | undefined {
  if (askedMs !== undefined && askedMs > LONGEST_RETRY_AFTER_MS) return undefined;
  return (askedMs ?? 0) + random() * Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** retry);
}

export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(abortError(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

export function abortError(signal: AbortSignal | undefined): APIUserAbortError {
  return new APIUserAbortError('The request was aborted', { cause: signal?.reason });
}

/** For what several wait for: whoever gives up leaves it to the others. */
export function unlessAborted<T>(shared: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return shared;
  return new Promise((resolve, reject) => {
    const abort = () => reject(abortError(signal));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    shared.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
