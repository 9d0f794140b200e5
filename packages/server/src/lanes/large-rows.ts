/** Whether rows are so much that decoding or writing them holds up others. */
import { LARGE_BYTES } from './loop-turns.ts';

/** By the strings and bytes that they hold themselves. `rows` are objects, or lists of values. */
export function areLarge(rows: readonly unknown[]): boolean {
  let size = 0;
  for (const row of rows) {
    if (typeof row !== 'object' || row === null) continue;
    for (const name in row) {
      const value = (row as Record<string, unknown>)[name];
      if (typeof value === 'string' || value instanceof Uint8Array) size += value.length;
    }
    if (size > LARGE_BYTES) return true;
  }
  return false;
}
