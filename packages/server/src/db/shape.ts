/** Row shapes: which columns a row is made of, how its values are stored, and how stored values become JSON values again. */
import { boundRows, type Decoder, join, json, type Param, raw, Sql, sql } from './sql.ts';

/** How a column is stored. Only booleans and JSON read back in another form than they have in a row. */
export type ColumnKind = 'text' | 'integer' | 'number' | 'time' | 'boolean' | 'json' | 'bytes';

const decoders: Partial<Record<ColumnKind, Decoder>> = {
  boolean: (stored) => (stored === null ? null : stored === true || stored === 1),
  json: (stored) => (typeof stored === 'string' ? JSON.parse(stored) : stored),
};

/** The kinds of column that can hold a value of a type. */
type KindOf<Value> = [Value] extends [string | null]
  ? 'text' | 'time'
  : [Value] extends [number | null]
    ? 'integer' | 'number'
    : [Value] extends [boolean | null]
      ? 'boolean'
      : [Value] extends [Uint8Array | null]
        ? 'bytes'
        : 'json';

type Columns<Row> = { readonly [name in keyof Row & string]-?: KindOf<Row[name]> };

/** A row with all of its columns but for some. */
type RowWithout<Row, Names> = { readonly [name in Exclude<keyof Row, Names>]-?: Row[name] };

/** Nothing but columns of the row. Undefined keeps what is stored. */
type ChangesOf<Row, Changes> = { readonly [name in keyof Changes]: name extends keyof Row ? Row[name] | undefined : never };

export interface Shape<Row> extends Sql<Row> {
  /** The same columns, read from a table that goes by an alias in the statement. */
  of(alias: string): Sql<Row>;
  /** These columns and more: what a table holds beside what its answers show. */
  with<More>(columns: Columns<More>): Shape<Row & More>;
  /** `insert into … values …` of every column. `same` holds the columns that are alike in all rows, and is written once. */
  insertInto<Same extends Partial<Row> = Record<never, never>>(
    table: string,
    inserted: readonly RowWithout<Row, keyof Same>[],
    same?: Same & ChangesOf<Row, Same>,
  ): Sql;
  /** `update … set ${columns.assignments({ ...changes, updatedAt })}`: a change that is no column does not compile. */
  assignments<Changes extends ChangesOf<Row, Changes>>(changes: Changes): Sql;
}

/** `shape<Member>({ userId: 'text', … })` selects `user_id as "userId", …`, decodes what needs decoding, and writes the same columns. */
export function shape<Row>(columns: Columns<Row>): Shape<Row> {
  const stored = Object.entries<ColumnKind>(columns).map(([name, kind]): Column => ({ name, column: snakeCase(name), kind }));
  const decodersByName = new Map<string, Decoder>();
  for (const { name, kind } of stored) {
    const decode = decoders[kind];
    if (decode) decodersByName.set(name, decode);
  }
  const select = (prefix: string) => {
    const texts = stored.map(({ name, column }) => (column === name ? `${prefix}${column}` : `${prefix}${column} as "${name}"`));
    return new Sql<Row>([texts.join(', ')], decodersByName);
  };
  const columnList = stored.map(({ column }) => column).join(', ');
  return Object.assign(select(''), {
    of: (alias: string) => select(`${alias}.`),
    with: <More>(more: Columns<More>) => shape<Row & More>({ ...columns, ...more } as Columns<Row & More>),
    insertInto: (table: string, inserted: readonly object[], same: object = {}) => {
      const values = boundRows(paramsOf(stored, inserted as Values[], same as Values), stored.length);
      return new Sql([`insert into ${table} (${columnList}) values `, ...values.pieces]);
    },
    assignments: (changes: object) => join(assignmentsOf(stored, changes as Values), ', '),
  });
}

interface Column {
  readonly name: string;
  readonly column: string;
  readonly kind: ColumnKind;
}

type Values = Readonly<Record<string, unknown>>;

/** Row after row, and filled column by column: many rows are written all day, and a property is fastest read again and again. */
function paramsOf(columns: readonly Column[], inserted: readonly Values[], same: Values): Param[] {
  const params = new Array<Param>(inserted.length * columns.length);
  for (const [index, { name, kind }] of columns.entries()) {
    const fixed = name in same ? encoded(name, kind, same[name]) : undefined;
    for (let row = 0, at = index; row < inserted.length; row++, at += columns.length)
      params[at] = fixed === undefined ? encoded(name, kind, (inserted[row] as Values)[name]) : fixed;
  }
  return params;
}

function assignmentsOf(columns: readonly Column[], changes: Values): Sql[] {
  return Object.keys(changes).flatMap((name) => {
    const known = columns.find((column) => column.name === name);
    if (!known) throw new TypeError(`${name} is no column of this shape`);
    return changes[name] === undefined ? [] : [sql`${raw(known.column)} = ${encoded(name, known.kind, changes[name])}`];
  });
}

function encoded(name: string, kind: ColumnKind, value: unknown): Param {
  if (value === undefined) throw new TypeError(`${name} is undefined; give null where null is meant`);
  return kind === 'json' ? json(value) : (value as Param);
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
