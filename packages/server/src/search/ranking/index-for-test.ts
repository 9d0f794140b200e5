/** Items and toy vectors for the tests of ranking. */

import type { IndexItem } from './index-item.ts';

export function packed(vector: ArrayLike<number>): Uint8Array {
  const most = Math.max(...Array.from(vector, Math.abs)) || 1;
  const bytes = new Uint8Array(4 + vector.length);
  new DataView(bytes.buffer).setFloat32(0, most / 127, true);
  new Int8Array(bytes.buffer, 4).set(Array.from(vector, (component) => Math.round((component / most) * 127)));
  return bytes;
}

/** A direction for each topic; a blend of several if there are several. */
export function toward(...topics: number[]): Float32Array {
  const vector = new Float32Array(64).fill(0.01);
  for (const topic of topics) vector[topic] = 1;
  const length = Math.hypot(...vector);
  return vector.map((component) => component / length);
}

let made = 0;

/** All steps at once. */
export function finish<T>(steps: Generator<void, T, void>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** In the order in which they are made. */
export function item(text: string, rest: Partial<IndexItem> = {}): IndexItem {
  const order = String(made++).padStart(8, '0');
  return { id: text, order, thread: 'one', text, tags: [], ...rest };
}

/** Pseudo-random numbers from 0 to 1, the same in each run. */
export function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
