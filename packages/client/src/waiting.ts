/** Waiting for what the service does in the background. */
import { APIUserAbortError, WaitTimeoutError } from './errors.ts';
import { abortError, sleep } from './retries.ts';

export interface WaitOptions {
  /** Of the whole wait. Default: 300,000. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** Asks, at growing intervals, until it is done. */
export async function poll<T>(
  what: string,
  { timeoutMs = 300_000, signal }: WaitOptions,
  ask: (signal: AbortSignal) => Promise<T>,
  isDone: (answer: T) => boolean,
): Promise<T> {
  if (signal?.aborted) throw abortError(signal);
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    controller.abort();
  }, timeoutMs);
  try {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 1.5)) {
      const answer = await ask(controller.signal);
      if (isDone(answer)) return answer;
      await sleep(pauseMs, controller.signal);
    }
  } catch (error) {
    if (isLate && error instanceof APIUserAbortError) throw new WaitTimeoutError(`Waited ${timeoutMs} ms for ${what}, in vain`);
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
