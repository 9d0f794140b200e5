/** Pages, by offset and by key: the rows of one page, how many there are in all, and where the next page begins. */
import { isStorable } from '@commonplace/contract/lengths';
import type { Page, PageMeta } from '@commonplace/contract/wire';
import { invalid } from '../errors.ts';
import type { Queryable } from './database.ts';
import { isId } from './ids.ts';
import { type Param, raw, type Sql, sql } from './sql.ts';

export interface Listed<Row> {
  readonly rows: Row[];
  readonly meta: PageMeta;
}

export interface List<Row> {
  /** `select … from … where …`: without order and limit, always with a where. */
  readonly rows: Sql<Row>;
  /** What to count: `from … where …`. */
  readonly counted: Sql;
  /** The column that the list is ordered by, unique within it, and what it holds. */
  readonly key: string;
  readonly keyKind: 'id' | 'text' | 'number';
  readonly order: 'asc' | 'desc';
  readonly keyOf: (row: Row) => string | number;
  /** Where the number of all rows is known without counting them. */
  readonly total?: () => Promise<number>;
}

export async function listPage<Row>(db: Queryable, page: Page, list: List<Row>): Promise<Listed<Row>> {
  const { key, order } = list;
  const after = page.cursor ? sql`and ${raw(key)} ${raw(order === 'asc' ? '>' : '<')} ${keyFromCursor(page.cursor, list.keyKind)}` : sql``;
  const [found, total] = await Promise.all([
    // One more than asked for tells whether there is a next page.
    db.query(sql<Row>`${list.rows} ${after} order by ${raw(`${key} ${order}`)} limit ${page.limit + 1} offset ${page.offset}`),
    list.total ? list.total() : countOf(db, list.counted),
  ]);
  const rows = found.slice(0, page.limit);
  const last = rows.at(-1);
  const cursor = found.length > page.limit && last ? cursorOf(list.keyOf(last)) : undefined;
  return { rows, meta: { limit: page.limit, offset: page.offset, total, ...(cursor !== undefined && { cursor }) } };
}

async function countOf(db: Queryable, counted: Sql): Promise<number> {
  const [count] = await db.query(sql<{ total: number }>`select count(*) as total ${counted}`);
  return count?.total ?? 0;
}

/** Opaque to clients: what it holds may change. */
function cursorOf(key: string | number): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

const LARGEST_NUMBER = 2 ** 31 - 1;

const fits: Record<List<unknown>['keyKind'], (key: unknown) => boolean> = {
  id: (key) => typeof key === 'string' && isId(key),
  text: (key) => typeof key === 'string' && isStorable(key),
  number: (key) => Number.isInteger(key) && Math.abs(Number(key)) <= LARGEST_NUMBER,
};

function keyFromCursor(cursor: string, kind: List<unknown>['keyKind']): Param {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (fits[kind](key)) return key as Param;
  } catch {
    // Not one of ours; reported below.
  }
  throw invalid('cursor', 'Cursor must be one that a page of this list gave');
}
