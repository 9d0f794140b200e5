/** Bytes as lines, of which none is held that is too long. */
import { isUtf8 } from 'node:buffer';
import { BODY_LIMITS, findExcess } from '@commonplace/contract/json';
import { LARGEST_LINE_BYTES } from '@commonplace/contract/transfer';
import { AppError } from '../errors.ts';

const LINE_END = 0x0a;

export interface Line {
  /** From 1. */
  readonly number: number;
  /** Without its end; undefined where it is too long. */
  readonly bytes: Buffer | undefined;
}

export async function* readLines(chunks: AsyncIterable<Buffer>, mostBytes = LARGEST_LINE_BYTES): AsyncGenerator<Line, void> {
  let pieces: Buffer[] = [];
  let size = 0;
  let number = 1;
  const take = (): Line => {
    const line = { number: number++, bytes: size > mostBytes ? undefined : Buffer.concat(pieces, size) };
    pieces = [];
    size = 0;
    return line;
  };
  const add = (piece: Buffer) => {
    size += piece.length;
    if (size > mostBytes) pieces = [];
    else if (piece.length > 0) pieces.push(piece);
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, start)) {
      add(chunk.subarray(start, end));
      start = end + 1;
      yield take();
    }
    add(chunk.subarray(start));
  }
  if (size > 0) yield take();
}

export interface TypedLine {
  readonly type: string;
  readonly [name: string]: unknown;
}

/** Throws with what is wrong with it. */
export function parseLine(bytes: Buffer): TypedLine {
  if (!isUtf8(bytes)) throw new AppError('bad_request', 'The line must be valid UTF-8');
  const text = bytes.toString();
  const excess = findExcess(text, BODY_LIMITS);
  if (excess) throw new AppError('bad_request', `The line ${excess}`);
  const value = jsonOf(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new AppError('bad_request', 'The line must be a JSON object');
  if (!('type' in value) || typeof value.type !== 'string') throw new AppError('bad_request', 'The line must have a type');
  return value as TypedLine;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError('bad_request', 'The line is not valid JSON');
  }
}
