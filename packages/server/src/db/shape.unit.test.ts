import { describe, expect, test } from 'vitest';
import type { Queryable } from './database.ts';
import { shape } from './shape.ts';
import { list, rows, sql } from './sql.ts';

interface Thing {
  id: string;
  shelfNo: number;
  fragile: boolean;
  meta: unknown;
  label: string | null;
}

const thing = shape<Thing>({ id: 'text', shelfNo: 'integer', fragile: 'boolean', meta: 'json', label: 'text' });
const stored = thing.with<{ workspaceId: string; hash: string | null }>({ workspaceId: 'text', hash: 'text' });
const cup: Thing = { id: 'cup', shelfNo: 1, fragile: true, meta: { made: ['here'] }, label: null };
const pot: Thing = { id: 'pot', shelfNo: 2, fragile: false, meta: null, label: 'tea' };

describe('what a shape inserts', () => {
  test('is every column, encoded by its kind', () => {
    const statement = thing.insertInto('things', [cup, pot]);
    expect(statement.text('sqlite')).toBe(
      'insert into things (id, shelf_no, fragile, meta, label) values (?, ?, ?, ?, ?), (?, ?, ?, ?, ?)',
    );
    expect(statement.text('postgres')).toBe(
      'insert into things (id, shelf_no, fragile, meta, label) values ($1, $2, $3, $4, $5), ($6, $7, $8, $9, $10)',
    );
    expect(statement.params).toEqual(['cup', 1, true, '{"made":["here"]}', null, 'pot', 2, false, 'null', 'tea']);
  });

  test('may be alike in all rows, null too', () => {
    const statement = stored.insertInto('things', [cup], { workspaceId: 'w', hash: null });
    expect(statement.params).toEqual(['cup', 1, true, '{"made":["here"]}', null, 'w', null]);
  });

  test('is part of a longer statement', () => {
    const statement = sql`${thing.insertInto('things', [cup])} on conflict (id) do nothing returning ${thing}`;
    expect(statement.text('postgres')).toMatch(
      /^insert into things .* values \(\$1, .*\) on conflict \(id\) do nothing returning id, shelf_no as/,
    );
    expect(statement.reads).toBe(false);
  });

  test('leaves no column out', () => {
    const { shelfNo, ...withoutShelf } = cup;
    // @ts-expect-error A column is missing.
    expect(() => thing.insertInto('things', [withoutShelf])).toThrow('shelfNo is undefined');
    // @ts-expect-error A column that is stored and not shown is missing.
    expect(() => stored.insertInto('things', [cup], { workspaceId: 'w' })).toThrow('hash is undefined');
    // @ts-expect-error No such column.
    thing.insertInto('things', [cup], { colour: 'red' });
    // @ts-expect-error Another type than the column has.
    thing.insertInto('things', [{ ...cup, shelfNo: '1' }]);
    expect(() => thing.insertInto('things', [])).toThrow('No rows to insert');
  });

  test('has a kind that holds its type', () => {
    // @ts-expect-error A number is no text.
    shape<{ count: number }>({ count: 'text' });
    // @ts-expect-error An object is stored as JSON.
    shape<{ labels: Record<string, string> }>({ labels: 'text' });
    // @ts-expect-error Every column has a kind.
    shape<{ id: string; count: number }>({ id: 'text' });
  });
});

describe('what a shape updates', () => {
  test('is what is given, and not what is undefined', () => {
    const changes: { label?: string | null; meta?: unknown } = { label: null, meta: { a: 1 } };
    const statement = thing.assignments({ ...changes, id: undefined, shelfNo: 3 });
    expect(statement.text('postgres')).toBe('label = $1, meta = $2, shelf_no = $3');
    expect(statement.params).toEqual([null, '{"a":1}', 3]);
  });

  test('is nothing but its columns', () => {
    const changes: { label?: string; colour?: string } = { colour: 'red' };
    // @ts-expect-error A change that is no column is left to somebody else, or is forgotten.
    expect(() => thing.assignments({ ...changes })).toThrow('colour is no column of this shape');
    // @ts-expect-error Null is no number.
    thing.assignments({ shelfNo: null });
  });
});

test('a batch has the rows of each statement in its place', async () => {
  const db = { batch: async () => [[], [cup], [{ count: 1 }], [pot]] } as unknown as Queryable;
  const guarded = sql<Thing>`select ${thing} from things`.orElse(() => new Error('none'));
  const others = [sql<{ count: number }>`select 1 as count`];
  const [, [first], ...rest] = await db.batch([sql`delete from things`, guarded, ...others, sql<Thing>`select ${thing} from things`]);
  const fragile: boolean = first.fragile;
  expect(fragile).toBe(true);
  const all: (Thing | { count: number })[][] = rest;
  expect(all).toHaveLength(2);
  const [plain] = await db.batch([sql<Thing>`select ${thing} from things`]);
  // @ts-expect-error Without a guard there may be no row.
  expect(() => plain[0].id).toThrow();
});

test('there is no list and no insert of nothing', () => {
  expect(() => sql`select 1 where 1 in ${list([])}`).toThrow('A list needs a value');
  expect(() => rows([])).toThrow('No rows to insert');
});
