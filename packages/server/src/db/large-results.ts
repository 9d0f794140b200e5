/** Large results become answers one at a time: each is decoded and written out in a turn of the event loop of its own. */
import { LoopTurns } from '../lanes/loop-turns.ts';

/** Some milliseconds of decoding, writing and hashing. */
const LARGE_CHARACTERS = 256 * 1024;

const turns = new LoopTurns();

/** No promise for what is small. `rows` are as the database gave them: lists of values, or objects. */
export function takeTurnIfLarge(rows: readonly object[]): Promise<void> | undefined {
  return isLarge(rows) ? turns.take() : undefined;
}

function isLarge(rows: readonly object[]): boolean {
  let characters = 0;
  for (const row of rows) {
    for (const value of Array.isArray(row) ? row : Object.values(row)) {
      if (typeof value === 'string') characters += value.length;
      else if (value instanceof Uint8Array) characters += value.byteLength;
    }
    if (characters > LARGE_CHARACTERS) return true;
  }
  return false;
}
