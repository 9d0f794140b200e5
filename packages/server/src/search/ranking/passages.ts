/** Which items of a thread are read together, and how long that makes them. */

import { type Items, NONE } from './items.ts';
import type { Profile } from './profiles.ts';

export interface Passages {
  /** By slot: the neighbour on this side, or NONE. */
  readonly before: Int32Array;
  readonly after: Int32Array;
  /** By slot: the words of the item and of those up to `wordReach` away on both sides. */
  readonly lengths: Float64Array;
  readonly totalLength: number;
}

/** Nothing for profiles whose items stand alone. */
export function passagesOf(items: Items, { wordReach, pauseMs }: Profile): Passages | undefined {
  if (wordReach === 0) return undefined;
  const size = items.slotCount;
  const { previous, next } = items.neighbours();
  const before = previous.slice(0, size);
  const after = next.slice(0, size);
  for (let slot = 0; slot < size; slot++) {
    const following = items.isThere(slot) ? (after[slot] as number) : NONE;
    if (following === NONE || !(items.time(following) - items.time(slot) > pauseMs)) continue;
    after[slot] = NONE;
    before[following] = NONE;
  }
  const lengths = new Float64Array(size);
  let totalLength = 0;
  for (let slot = 0; slot < size; slot++) {
    if (!items.isThere(slot)) continue;
    let length = items.lengths[slot] as number;
    for (const side of [before, after]) {
      for (let step = 0, at = side[slot] as number; step < wordReach && at !== NONE; step++, at = side[at] as number) {
        length += items.lengths[at] as number;
      }
    }
    lengths[slot] = length;
    totalLength += length;
  }
  return { before, after, lengths, totalLength };
}
