/** Pages by offset: the rows of one page and how many there are in all. */
import type { Page, PageMeta } from '@commonplace/contract/wire';
import type { Queryable } from './database.ts';
import { type Sql, sql } from './sql.ts';

export interface Listed<Row> {
  readonly rows: Row[];
  readonly meta: PageMeta;
}

/** `list` is ordered and without a limit; `counted` says what to count: `from … where …`. */
export async function listPage<Row>(db: Queryable, page: Page, list: Sql<Row>, counted: Sql): Promise<Listed<Row>> {
  const [rows, counts] = await Promise.all([
    db.query(sql<Row>`${list} limit ${page.limit} offset ${page.offset}`),
    db.query(sql<{ total: number }>`select count(*) as total ${counted}`),
  ]);
  return { rows, meta: { limit: page.limit, offset: page.offset, total: counts[0]?.total ?? 0 } };
}
