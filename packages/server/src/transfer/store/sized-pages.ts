/** Pages of whatever is in a table, each of so many bytes at most or one row: what is taken out is read a piece at a time. */
import type { Queryable } from '../../db/database.ts';
import { type Param, raw, type Sql, sql } from '../../db/sql.ts';

const MOST_ROWS = 500;
const MOST_BYTES = 2_000_000;

export interface Rows<Row> {
  /** What to select. */
  readonly columns: Sql<Row>;
  /** `from … where …`, always with a where. */
  readonly from: Sql;
  /** Unique, and in an index. */
  readonly key: string;
  readonly keyOf: (row: Row) => Param;
  /** Columns whose values can be long; none where all are short. */
  readonly long: readonly string[];
}

export async function* readPages<Row>(db: Queryable, { columns, from, key, keyOf, long }: Rows<Row>): AsyncGenerator<Row[], void> {
  const bytes = raw(long.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ') || '0');
  let after: Sql = sql``;
  for (;;) {
    const sizes = await db.query(sql<{ key: Param; bytes: number }>`
      select ${raw(key)} as key, ${bytes} as bytes ${from} ${after} order by ${raw(key)} limit ${MOST_ROWS}`);
    const last = lastFitting(sizes);
    if (last === undefined) return;
    const page: Row[] = await db.query(sql<Row>`select ${columns} ${from} ${after} and ${raw(key)} <= ${last.key} order by ${raw(key)}`);
    const lastRow = page.at(-1);
    // All of them may be gone since they were measured; behind them there may be more.
    after = sql`and ${raw(key)} > ${lastRow === undefined ? last.key : keyOf(lastRow)}`;
    if (page.length > 0) yield page;
  }
}

function lastFitting<Size extends { readonly bytes: number }>(sizes: readonly Size[]): Size | undefined {
  let bytes = 0;
  const end = sizes.findIndex((size, index) => {
    bytes += Number(size.bytes);
    return bytes > MOST_BYTES && index > 0;
  });
  return end === -1 ? sizes.at(-1) : sizes[end - 1];
}
