/** Tries with growing waits between them, until one succeeds or the time is over. */
import type { Service } from './endpoint.ts';
import { TryFailed } from './post.ts';

export interface TryLimits {
  readonly maxTries: number;
  /** For all tries and the waits between them. */
  readonly totalMs: number;
  /** The longest wait before the second try; it doubles with each one after. */
  readonly firstBackoffMs: number;
}

/** Repeats what fails with `TryFailed`. `attempt` is told when the whole must be over, by the clock of `performance.now()`. */
export async function repeatTries<T>(
  { unavailable }: Service,
  { maxTries, totalMs, firstBackoffMs }: TryLimits,
  signal: AbortSignal,
  attempt: (deadlineMs: number) => Promise<T>,
): Promise<T> {
  const deadlineMs = performance.now() + totalMs;
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(deadlineMs);
    } catch (error) {
      if (!(error instanceof TryFailed)) throw error;
      const waitMs = error.retryAfterMs ?? backoffMs(firstBackoffMs, tries);
      const late = performance.now() + waitMs >= deadlineMs;
      if (tries >= maxTries || late) {
        const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
        throw unavailable(`${error.message} (tried ${tries} times).`, { cause: error, retryAfterSeconds });
      }
      await pause(waitMs, signal);
    }
  }
}

/** Between half of the wait and all of it, so that what failed together does not come back together. */
function backoffMs(firstBackoffMs: number, tries: number): number {
  return firstBackoffMs * 2 ** (tries - 1) * (0.5 + Math.random() / 2);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
}
