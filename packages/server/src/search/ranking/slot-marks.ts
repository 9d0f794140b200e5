/** A set of slots that is walked from either end, at a byte a slot. */

import { grown } from './arrays.ts';

const BLOCK_BITS = 12;

export class SlotMarks {
  #marks = new Uint8Array(0);
  /** How many are marked of each block of 4096 slots. */
  #inBlock = new Uint32Array(0);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#marks.byteLength + this.#inBlock.byteLength;
  }

  has(slot: number): boolean {
    return this.#marks[slot] === 1;
  }

  set(slot: number, isMarked: boolean): void {
    if (this.has(slot) === isMarked) return;
    const block = slot >>> BLOCK_BITS;
    this.#marks = grown(this.#marks, slot + 1);
    this.#inBlock = grown(this.#inBlock, block + 1);
    this.#marks[slot] = isMarked ? 1 : 0;
    const change = isMarked ? 1 : -1;
    this.#inBlock[block] = (this.#inBlock[block] as number) + change;
    this.#count += change;
  }

  /** The lowest, in rising order. */
  first(limit: number): number[] {
    const found: number[] = [];
    for (let block = 0; block < this.#inBlock.length && found.length < limit; block++) {
      if (this.#inBlock[block] === 0) continue;
      const end = Math.min(this.#marks.length, (block + 1) << BLOCK_BITS);
      for (let slot = block << BLOCK_BITS; slot < end && found.length < limit; slot++) if (this.#marks[slot] === 1) found.push(slot);
    }
    return found;
  }

  /** The highest, in rising order. */
  last(limit: number): number[] {
    const found: number[] = [];
    for (let block = this.#inBlock.length - 1; block >= 0 && found.length < limit; block--) {
      if (this.#inBlock[block] === 0) continue;
      const first = block << BLOCK_BITS;
      for (let slot = Math.min(this.#marks.length, first + 4096) - 1; slot >= first && found.length < limit; slot--)
        if (this.#marks[slot] === 1) found.push(slot);
    }
    return found.reverse();
  }

  compacted(newSlots: Int32Array): SlotMarks {
    const fresh = new SlotMarks();
    for (let slot = 0; slot < newSlots.length; slot++) {
      const to = newSlots[slot] as number;
      if (to >= 0 && this.has(slot)) fresh.set(to, true);
    }
    return fresh;
  }
}
