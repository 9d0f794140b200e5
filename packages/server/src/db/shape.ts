/** Row shapes: which columns an answer is made of, and how stored values become JSON values. */
import { type Decoder, Sql } from './sql.ts';

/** How a column is stored. Text, numbers and times are the same on both engines and need no decoding. */
export type ColumnKind = 'text' | 'integer' | 'number' | 'time' | 'boolean' | 'json' | 'bytes';

const decoders: Partial<Record<ColumnKind, Decoder>> = {
  boolean: (stored) => (stored === null ? null : stored === true || stored === 1),
  json: (stored) => (typeof stored === 'string' ? JSON.parse(stored) : stored),
};

export interface Shape<Row> extends Sql<Row> {
  /** The same columns, read from a table that goes by an alias in the statement. */
  of(alias: string): Sql<Row>;
}

/** `shape<Member>({ userId: 'text', … })` selects `user_id as "userId", …` and decodes what needs decoding. */
export function shape<Row>(columns: { readonly [name in keyof Row & string]-?: ColumnKind }): Shape<Row> {
  const names = Object.keys(columns) as (keyof Row & string)[];
  const decodersByName = new Map<string, Decoder>();
  for (const name of names) {
    const decode = decoders[columns[name]];
    if (decode) decodersByName.set(name, decode);
  }
  const select = (prefix: string) => {
    const texts = names.map((name) => {
      const column = snakeCase(name);
      return column === name ? `${prefix}${column}` : `${prefix}${column} as "${name}"`;
    });
    return new Sql<Row>([texts.join(', ')], decodersByName);
  };
  return Object.assign(select(''), { of: (alias: string) => select(`${alias}.`) });
}

/** Applies a statement's decoders to its rows, in place. */
export function decodeRows<Row>(statement: Sql<Row>, stored: Record<string, unknown>[]): Row[] {
  if (statement.decoders) {
    for (const row of stored) {
      for (const [name, decode] of statement.decoders) {
        if (name in row) row[name] = decode(row[name]);
      }
    }
  }
  return stored as Row[];
}

export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
