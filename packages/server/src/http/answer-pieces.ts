/** A long answer as pieces of JSON: what its lists hold is written a few items at a time. */
import { areLarge } from '../lanes/large-rows.ts';

const PIECE_CHARACTERS = 64 * 1024;

/** Whether a list of it holds so much that writing all of it at once would hold up others. */
export function isLong(answer: unknown): answer is Record<string, unknown> {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return false;
  for (const name in answer) {
    const value = (answer as Record<string, unknown>)[name];
    if (Array.isArray(value) && areLarge(value)) return true;
  }
  return false;
}

/** Together they are what `JSON.stringify` makes of the answer. One is as long as what it is made of at least: a single item is never cut. */
export function* writePieces(answer: Record<string, unknown>): Generator<string, void> {
  let piece = '';
  let separator = '{';
  for (const name in answer) {
    const value = answer[name];
    if (value === undefined) continue;
    piece += `${separator}${JSON.stringify(name)}:`;
    separator = ',';
    if (!Array.isArray(value)) {
      piece += JSON.stringify(value);
      continue;
    }
    let before = '[';
    for (const item of value) {
      piece += before + (JSON.stringify(item) ?? 'null');
      before = ',';
      if (piece.length < PIECE_CHARACTERS) continue;
      yield piece;
      piece = '';
    }
    piece += value.length === 0 ? '[]' : ']';
  }
  yield separator === '{' ? '{}' : `${piece}}`;
}
