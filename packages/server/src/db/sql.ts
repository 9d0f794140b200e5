/** The `sql` tag: statements as text with bound parameters, rendered for either engine. */

export type EngineName = 'sqlite' | 'postgres';

/** What may be bound. Times are RFC 3339 strings; JSON goes through `json()`. */
export type Param = string | number | boolean | null | Uint8Array;

/** Turns a stored value into the value of the answer. */
export type Decoder = (stored: unknown) => unknown;

type Piece = string | { readonly [engine in EngineName]: string } | BoundParam | BoundRows;

class BoundParam {
  readonly value: Param;
  constructor(value: Param) {
    this.value = value;
  }
}

/** `(…), (…)`: one piece whatever the number of rows, since writes of a hundred rows are written all day. */
class BoundRows {
  /** Row after row, each as wide as the others. */
  readonly params: Param[];
  readonly width: number;
  constructor(params: Param[], width: number) {
    this.params = params;
    this.width = width;
  }

  /** `first` is the number of its first parameter. */
  text(engine: EngineName, first: number): string {
    const { width } = this;
    const height = this.params.length / width;
    const from = engine === 'sqlite' ? 0 : first;
    const key = `${from} ${width} ${height}`;
    const known = placeholders.get(key);
    if (known !== undefined) return known;
    const text = from === 0 ? unnumberedRows(width, height) : numberedRows(from, width, height);
    if (placeholders.size >= MOST_PLACEHOLDERS) placeholders.clear();
    if (text.length <= LONGEST_PLACEHOLDERS) placeholders.set(key, text);
    return text;
  }
}

/** Texts of rows, which are written with the same numbers of rows and columns all day. */
const placeholders = new Map<string, string>();
const MOST_PLACEHOLDERS = 500;
const LONGEST_PLACEHOLDERS = 10_000;

function unnumberedRows(width: number, height: number): string {
  return Array(height)
    .fill(`(${Array(width).fill('?').join(', ')})`)
    .join(', ');
}

function numberedRows(first: number, width: number, height: number): string {
  const row = (at: number) => `(${Array.from({ length: width }, (_, column) => `$${at + column}`).join(', ')})`;
  return Array.from({ length: height }, (_, index) => row(first + index * width)).join(', ');
}

/** A statement or a part of one. `Row` is what each of its rows looks like once decoded. */
export class Sql<Row = unknown> {
  readonly pieces: readonly Piece[];
  /** Decoders by the name of the output column, gathered from the row shapes inside the statement. */
  readonly decoders: ReadonlyMap<string, Decoder> | undefined;
  /** Makes the error to throw, and roll back with, when the statement touches or returns no row. */
  readonly guard: (() => Error) | undefined;
  /** Whether its rows come in binary form. */
  readonly isBinary: boolean;
  /** Names the row that it changes, where batches that begin with it are many. */
  readonly changedRow: string | undefined;
  declare readonly row: Row;
  #rendered: { [engine in EngineName]?: string } = {};
  #params: Param[] | undefined;

  constructor(
    pieces: readonly Piece[],
    decoders?: ReadonlyMap<string, Decoder>,
    guard?: () => Error,
    isBinary = false,
    changedRow?: string,
  ) {
    this.pieces = pieces;
    this.decoders = decoders;
    this.guard = guard;
    this.isBinary = isBinary;
    this.changedRow = changedRow;
  }

  text(engine: EngineName): string {
    this.#rendered[engine] ??= render(this.pieces, engine);
    return this.#rendered[engine];
  }

  get params(): Param[] {
    this.#params ??= paramsOf(this.pieces);
    return this.#params;
  }

  /** Reads go to readers; everything else goes to the one writer of the embedded engine. */
  get reads(): boolean {
    const first = this.pieces[0];
    return typeof first === 'string' && /^\s*(select|with)\b/i.test(first);
  }

  /** In a batch or a transaction: no row means this error, and nothing of the unit is kept. */
  orElse(makeError: () => Error): GuardedSql<Row> {
    return new Sql<Row>(this.pieces, this.decoders, makeError, this.isBinary, this.changedRow) as GuardedSql<Row>;
  }

  /** For many bytes: PostgreSQL's driver reads text otherwise. The columns are whole numbers and bytes. */
  inBinary(): Sql<Row> {
    return new Sql<Row>(this.pieces, this.decoders, this.guard, true, this.changedRow);
  }

  /**
   * At the beginning of a batch: which row it changes, of which workspace. Batches of one row would wait for each other; PostgreSQL is sent
   * those that wait together, as one transaction. The embedded engine does so with all.
   */
  changing(row: string): Sql<Row> {
    return new Sql<Row>(this.pieces, this.decoders, this.guard, this.isBinary, row);
  }
}

/** A statement that has a row, or its unit fails. */
export type GuardedSql<Row = unknown> = Sql<Row> & { readonly guard: () => Error };

function render(pieces: readonly Piece[], engine: EngineName): string {
  let text = '';
  let count = 0;
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece;
    else if (piece instanceof BoundParam) text += engine === 'postgres' ? `$${++count}` : '?';
    else if (piece instanceof BoundRows) {
      text += piece.text(engine, count + 1);
      count += piece.params.length;
    } else text += piece[engine];
  }
  return text;
}

function paramsOf(pieces: readonly Piece[]): Param[] {
  const [only, other] = pieces.filter((piece) => piece instanceof BoundParam || piece instanceof BoundRows);
  if (only instanceof BoundRows && !other) return only.params;
  const params: Param[] = [];
  for (const piece of pieces) {
    if (piece instanceof BoundParam) params.push(piece.value);
    else if (piece instanceof BoundRows) for (const value of piece.params) params.push(value);
  }
  return params;
}

export type Interpolation = Param | Sql;

/** sql<Row>`select … where id = ${id}`: every interpolation is bound, unless it is itself made by `sql`. */
export function sql<Row = unknown>(strings: TemplateStringsArray, ...values: Interpolation[]): Sql<Row> {
  const pieces: Piece[] = [];
  let decoders: Map<string, Decoder> | undefined;
  strings.forEach((text, index) => {
    if (text) pieces.push(text);
    if (index >= values.length) return;
    const value = values[index];
    if (value instanceof Sql) {
      pieces.push(...value.pieces);
      if (value.decoders) {
        decoders ??= new Map();
        for (const [name, decode] of value.decoders) decoders.set(name, decode);
      }
    } else if (value === undefined) {
      throw new TypeError(`The parameter after “${text.trim().slice(-40)}” is undefined; bind null where null is meant`);
    } else {
      pieces.push(new BoundParam(value));
    }
  });
  return new Sql<Row>(pieces, decoders);
}

/** Text that is part of the program, never of a request. */
export function raw(text: string): Sql {
  return new Sql([text]);
}

/** What the two engines can't say alike. */
export function perEngine(texts: { readonly [engine in EngineName]: string }): Sql {
  return new Sql([texts]);
}

/** Holds the selected rows until the transaction ends. The embedded engine has one writer and needs no such lock. */
export const forUpdate = perEngine({ sqlite: '', postgres: ' for update' });

/** Holds the selected rows against change and deletion, not against other holders. */
export const forShare = perEngine({ sqlite: '', postgres: ' for share' });

/** A parameter where PostgreSQL can't tell from its surroundings that an id is meant. */
export function asId(id: string): Sql {
  return new Sql([new BoundParam(id), { sqlite: '', postgres: '::uuid' }]);
}

/** A column of a list of values, which has no type of its own in PostgreSQL, where ids are in it. */
export function columnOfIds(column: string): Sql {
  return perEngine({ sqlite: column, postgres: `${column}::uuid` });
}

export const nothing = new Sql([]);

export function join(parts: readonly Interpolation[], separator: string): Sql {
  return parts.reduce<Sql>((all, part, index) => (index === 0 ? sql`${part}` : sql`${all}${raw(separator)}${part}`), nothing);
}

/** `where id in ${list(ids)}`. Of nothing there is no list: PostgreSQL has no `in ()`, and `not in` would mean all. */
export function list(values: readonly Param[]): Sql {
  if (values.length === 0) throw new TypeError('A list needs a value; decide what none means before the statement');
  return new Sql([new BoundRows([...values], values.length)]);
}

/** `insert into t (a, b) values ${rows([[1, 2], [3, 4]])}` */
export function rows(values: readonly (readonly Param[])[]): Sql {
  const params: Param[] = [];
  for (const row of values) for (const value of row) params.push(value);
  return boundRows(params, values[0]?.length ?? 0);
}

/** As `rows`, where the values already stand row after row. */
export function boundRows(params: Param[], width: number): Sql {
  if (params.length === 0) throw new TypeError('No rows to insert; leave the statement out');
  return new Sql([new BoundRows(params, width)]);
}

/** A JSON value, stored as its text on both engines so that it reads back exactly as it was written. */
export function json(value: unknown): string {
  return JSON.stringify(value ?? null);
}

/** `where a = … and b = …` from the conditions that are there. */
export function where(conditions: readonly (Sql | undefined)[]): Sql {
  const present = conditions.filter((condition) => condition !== undefined);
  return present.length === 0 ? nothing : sql`where ${join(present, ' and ')}`;
}
