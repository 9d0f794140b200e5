/** Rows out of the bytes that came, by what the server said of their columns once. */
import type pg from 'pg';
import { types } from './types.ts';

export type Row = Record<string, unknown>;

type FromText = (stored: string) => unknown;
type FromBytes = (stored: Buffer) => unknown;

const NULL_LENGTH = -1;
/** Types that read as they are written: text, varchar, uuid, json, jsonb. */
const TEXTS = new Set([25, 1043, 2950, 114, 3802]);

export class RowReader {
  readonly #names: readonly string[];
  /** Undefined where the text is the value. */
  readonly #fromText: readonly (FromText | undefined)[] | undefined;
  readonly #fromBytes: readonly FromBytes[];
  /** Every column in its place, so that all rows have one form. */
  readonly #empty: Row;

  constructor(fields: readonly pg.FieldDef[]) {
    const isBinary = fields.some(({ format }) => format === 'binary');
    this.#names = fields.map(({ name }) => name);
    this.#fromText = isBinary
      ? undefined
      : fields.map(({ dataTypeID }) => (TEXTS.has(dataTypeID) ? undefined : (types.getTypeParser(dataTypeID, 'text') as FromText)));
    this.#fromBytes = isBinary ? fields.map(({ dataTypeID }) => types.getTypeParser(dataTypeID, 'binary') as FromBytes) : [];
    this.#empty = Object.fromEntries(this.#names.map((name) => [name, null]));
  }

  /** `start` is where the number of its columns stands. */
  read(bytes: Buffer, start: number): Row {
    const row = { ...this.#empty };
    const names = this.#names;
    let at = start + 2;
    for (let column = 0; column < names.length; column++) {
      const size = bytes.readInt32BE(at);
      at += 4;
      if (size === NULL_LENGTH) continue;
      row[names[column] as string] = this.#value(column, bytes, at, at + size);
      at += size;
    }
    return row;
  }

  #value(column: number, bytes: Buffer, start: number, end: number): unknown {
    // A copy: what came is read over again.
    if (this.#fromText === undefined) return this.#fromBytes[column]?.(Buffer.from(bytes.subarray(start, end)));
    const text = bytes.toString('utf8', start, end);
    const parse = this.#fromText[column];
    return parse === undefined ? text : parse(text);
  }
}
