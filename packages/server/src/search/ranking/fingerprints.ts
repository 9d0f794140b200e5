/** 53 bits of a text (cyrb53): enough to see that an item is the one already indexed. */

import { TextUnits } from './words/text-units.ts';

const PIECE_CHARACTERS = 4_096;
const piece = new TextUnits(PIECE_CHARACTERS);

export function fingerprintOf(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  const { units } = piece;
  for (let start = 0; start < text.length; start += PIECE_CHARACTERS) {
    const length = Math.min(PIECE_CHARACTERS, text.length - start);
    piece.write(length === text.length ? text : text.slice(start, start + length));
    for (let i = 0; i < length; i++) {
      const unit = units[i] as number;
      high = Math.imul(high ^ unit, 2654435761);
      low = Math.imul(low ^ unit, 1597334677);
    }
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}
