/** Large results become answers one at a time: each is decoded and written out in a turn of the event loop of its own. */
import { LARGE_BYTES, largeWork } from '../lanes/loop-turns.ts';

/** No promise for what is small. `rows` are as the database gave them: lists of values, or objects. */
export function takeTurnIfLarge(rows: readonly object[]): Promise<void> | undefined {
  return isLarge(rows) ? largeWork.take() : undefined;
}

function isLarge(rows: readonly object[]): boolean {
  let size = 0;
  for (const row of rows) {
    for (const value of Array.isArray(row) ? row : Object.values(row)) {
      if (typeof value === 'string') size += value.length;
      else if (value instanceof Uint8Array) size += value.byteLength;
    }
    if (size > LARGE_BYTES) return true;
  }
  return false;
}
