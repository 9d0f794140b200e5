/** Whether rows are so much that decoding or writing them holds up others. */
import { LARGE_BYTES } from './loop-turns.ts';

/** By the strings and bytes that they hold themselves. `rows` are objects, or lists of values. */
export function areLarge(rows: readonly unknown[]): boolean {
  let size = 0;
  for (const row of rows) {
    if (Array.isArray(row)) for (const value of row) size += sizeOf(value);
    else if (typeof row === 'object' && row !== null) for (const name in row) size += sizeOf((row as Record<string, unknown>)[name]);
    if (size > LARGE_BYTES) return true;
  }
  return false;
}

function sizeOf(value: unknown): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 0;
}
