import type { RequestOptions } from '@commonplace/client';

interface Limits {
  readonly timeoutMs: number;
  /** Of the call that this is for. */
  readonly signal?: AbortSignal | undefined;
}

/** The result within the time, tries and waits included; undefined once the call was aborted. */
export async function withinTime<T>(work: (options: RequestOptions) => Promise<T>, { timeoutMs, signal }: Limits): Promise<T | undefined> {
  if (signal?.aborted) return undefined;
  const controller = new AbortController();
  const stopped = Promise.withResolvers<undefined>();
  const stop = () => {
    controller.abort();
    stopped.resolve(undefined);
  };
  const timer = setTimeout(() => {
    controller.abort();
    stopped.reject(new Error(`Nothing from Commonplace within ${timeoutMs} ms`));
  }, timeoutMs);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([stopped.promise, work({ signal: controller.signal })]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}
