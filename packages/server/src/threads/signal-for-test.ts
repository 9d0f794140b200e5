/** Cells by which a test and a thread that is held wait for each other. */
import type { Signal } from './thread-for-test.ts';

export function newSignal(): Signal {
  return new Int32Array(new SharedArrayBuffer(8));
}

/** Resolves once the thread has raised the first cell. */
export async function raised(signal: Signal): Promise<void> {
  const waited = Atomics.waitAsync(signal, 0, 0);
  if (waited.async) await waited.value;
}

export function release(signal: Signal): void {
  Atomics.store(signal, 1, 1);
  Atomics.notify(signal, 1);
}
