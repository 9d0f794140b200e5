/** A module for the tests of pools. */
import { threadId } from 'node:worker_threads';
import type { Signal } from './thread-for-test.ts';

export const NOT_A_FUNCTION = 1;

export const add = (one: number, other: number) => one + other;

export const numberOfThread = () => threadId;

export function fail(message: string): never {
  throw new RangeError(message);
}

/** Raises the first cell, and computes until the second is raised. */
export function hold(signal: Signal): string {
  Atomics.store(signal, 0, 1);
  Atomics.notify(signal, 0);
  Atomics.wait(signal, 1, 0);
  return 'released';
}

export function loop(): never {
  for (;;);
}
