/** Pages, by offset and by key: the rows of one page, no more than make an answer, how many there are in all, and where the next page begins. */
import { isStorable } from '@commonplace/contract/lengths';
import type { Page, PageMeta } from '@commonplace/contract/wire';
import { countFitting, LARGEST_ANSWER_BYTES, MOST_ESCAPED_BYTES, takeFitting } from '../answer-size.ts';
import { invalid } from '../errors.ts';
import type { Queryable } from './database.ts';
import { isId } from './ids.ts';
import { list, type Param, raw, type Sql, sql } from './sql.ts';

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
  /** Columns, as `counted` names them, whose texts can be long: where they are, a page ends early. None where a hundred rows are short. */
  readonly longColumns: readonly string[];
  /** An index has the rows in the order of the key: a page looks at no rows but its own and those of the offset. */
  readonly isIndexed?: true;
  /** Finding the rows is the work, by a filter without an index: each page finds its own once, and all of them only where it has to. */
  readonly isFiltered?: boolean;
  /** Where the number of all rows is known without counting them. */
  readonly total?: () => Promise<number>;
}

export async function listPage<Row>(db: Queryable, page: Page, list: List<Row>): Promise<Listed<Row>> {
  const { key, order } = list;
  const after = page.cursor ? sql`and ${raw(key)} ${raw(order === 'asc' ? '>' : '<')} ${keyFromCursor(page.cursor, list.keyKind)}` : sql``;
  const slice: Slice<Row> = {
    list,
    after,
    // One more than asked for tells whether there is a next page.
    end: (limit) => sql`order by ${raw(`${key} ${order}`)} limit ${limit} offset ${page.offset}`,
  };
  const count = () => (list.total ? list.total() : countOf(db, list.counted));
  const [{ rows, hasMore }, total] = list.isFiltered
    ? await readFiltered(db, slice, page, count)
    : await Promise.all([
        readShort(db, slice, page) ??
          (list.longColumns.length > 0 ? readWithinSize(db, slice, page.limit) : readAll(db, slice, page.limit)),
        count(),
      ]);
  const last = rows.at(-1);
  const cursor = hasMore && last ? cursorOf(list.keyOf(last)) : undefined;
  return { rows, meta: { limit: page.limit, offset: page.offset, total, ...(cursor !== undefined && { cursor }) } };
}

interface Slice<Row> {
  readonly list: List<Row>;
  readonly after: Sql;
  readonly end: (limit: number) => Sql;
}

interface Read<Row> {
  readonly rows: Row[];
  readonly hasMore: boolean;
}

/** Reading so much takes a fraction of a millisecond; a hop to another thread and back takes as long. */
const MOST_SHORT = 64 * 1024;
const MOST_SHORT_OFFSET = 100;

/** Undefined where it is not for the thread that answers. */
function readShort<Row>(db: Queryable, { list, after, end }: Slice<Row>, { limit, offset }: Page): Read<Row> | undefined {
  if (!list.isIndexed || offset > MOST_SHORT_OFFSET) return undefined;
  const found = db.readShort?.(sql<Row>`${list.rows} ${after} ${end(limit + 1)}`, MOST_SHORT);
  return found && { rows: found.slice(0, limit), hasMore: found.length > limit };
}

async function readAll<Row>(db: Queryable, { list, after, end }: Slice<Row>, limit: number, condition: Sql = sql``): Promise<Read<Row>> {
  const found = await db.query(sql<Row>`${list.rows} ${after} ${condition} ${end(limit + 1)}`);
  return { rows: found.slice(0, limit), hasMore: found.length > limit };
}

/**
 * Nearly every page is short enough whatever JSON makes of it, and is read with the one statement that makes sure of that. Of
 * any other the sizes are read first, so that no more leaves the database than fits.
 */
async function readWithinSize<Row>(db: Queryable, slice: Slice<Row>, limit: number): Promise<Read<Row>> {
  const { list, after, end } = slice;
  const sizes = sql<{ bytes: number }>`select ${bytesOf(list)} as bytes ${list.counted} ${after} ${end(limit + 1)}`;
  const isShort = sql`and (select coalesce(sum(sized.bytes), 0) from (${sizes}) sized) <= ${Math.floor(LARGEST_ANSWER_BYTES / MOST_ESCAPED_BYTES)}`;
  const short = await readAll(db, slice, limit, isShort);
  if (short.rows.length > 0) return short;
  const found = (await db.query(sizes)).map((row) => Number(row.bytes));
  if (found.length === 0) return { rows: [], hasMore: false };
  const count = Math.min(limit, countFitting(found));
  const rows = takeFitting(await db.query(sql<Row>`${list.rows} ${after} ${end(count)}`));
  return { rows, hasMore: found.length > rows.length };
}

/** Of a list that is over before the page is full the number is known with it. */
async function readFiltered<Row>(
  db: Queryable,
  { list: asked, after, end }: Slice<Row>,
  page: Page,
  count: () => Promise<number>,
): Promise<[Read<Row>, total: number]> {
  const { limit, offset, cursor } = page;
  const key = raw(asked.key);
  const found = await db.query(sql<{ key: Param; bytes: number }>`
    select ${key} as key, ${bytesOf(asked)} as bytes ${asked.counted} ${after} ${end(limit + 1)}`);
  const isCounted = !cursor && found.length <= limit && (found.length > 0 || offset === 0);
  const total = isCounted ? offset + found.length : await count();
  if (found.length === 0) return [{ rows: [], hasMore: false }, total];
  const fitting = Math.min(limit, countFitting(found.map(({ bytes }) => Number(bytes))));
  const keys = list(found.slice(0, fitting).map((one) => one.key));
  const rows = takeFitting(await db.query(sql<Row>`${asked.rows} and ${key} in ${keys} order by ${key} ${raw(asked.order)}`));
  // All of them changed meanwhile: what is there now.
  if (rows.length === 0) return readFiltered(db, { list: asked, after, end }, page, count);
  return [{ rows, hasMore: found.length > rows.length }, total];
}

function bytesOf({ longColumns }: Pick<List<never>, 'longColumns'>): Sql {
  return raw(longColumns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ') || '0');
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
