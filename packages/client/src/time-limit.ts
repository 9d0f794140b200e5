/** For adapters of other libraries: a call that must not wait for Commonplace for ever, however it opens its session. */
import type { RequestOptions } from './transport.ts';

interface Limits {
  readonly timeoutMs: number;
  /** Of the call that this is for. */
  readonly signal?: AbortSignal | undefined;
}

/** The result within the time, tries and waits included; undefined once the call was aborted. */
export async function withinTime<T>(work: (options: RequestOptions) => Promise<T>, { timeoutMs, signal }: Limits): Promise<T | undefined> {
  if (signal?.aborted) return undefined;
  const controller = new AbortController();
  let stop = () => {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stopped = new Promise<undefined>((resolve, reject) => {
    stop = () => {
      controller.abort();
      resolve(undefined);
    };
    timer = setTimeout(() => {
      controller.abort();
      reject(new Error(`Nothing from Commonplace within ${timeoutMs} ms`));
    }, timeoutMs);
  });
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([stopped, work({ signal: controller.signal })]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}
