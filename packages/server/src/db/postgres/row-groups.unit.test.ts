import { expect, test } from 'vitest';
import { currentLane, runInLane } from '../../lanes/current-lane.ts';
import { DatabaseUnavailable } from '../errors.ts';
import { type Sql, sql } from '../sql.ts';
import { type Progress, RowGroups, type Rows } from './row-groups.ts';

/** Transactions that end when the test says so. What a statement is called is its text. */
class Transactions {
  readonly begun: string[][] = [];
  readonly lanes: string[] = [];
  readonly kept: string[] = [];
  readonly groups = new RowGroups((statements, progress) => this.#run(statements, progress));
  readonly #failing = new Map<string, Error>();
  readonly #open: (() => void)[] = [];
  #waits = true;

  fail(name: string, error: Error = new Error(`${name} failed`)): void {
    this.#failing.set(name, error);
  }

  /** The oldest that is open; those that follow too, where nothing holds them. */
  end(): void {
    this.#open.shift()?.();
  }

  /** From now on each ends by itself. */
  endAll(): void {
    this.#waits = false;
    for (let end = this.#open.shift(); end; end = this.#open.shift()) end();
  }

  async #run(statements: readonly Sql[], progress: Progress): Promise<Rows> {
    const names = statements.map((statement) => statement.text('postgres'));
    this.begun.push(names);
    this.lanes.push(currentLane());
    if (this.#waits) await new Promise<void>((resolve) => this.#open.push(resolve));
    const failedAt = names.findIndex((name) => this.#failing.has(name));
    if (failedAt >= 0) {
      const error = this.#failing.get(names[failedAt] as string) as Error;
      if (!(error instanceof DatabaseUnavailable) && error.message !== 'at the commit') progress.failedAt = failedAt;
      throw error;
    }
    this.kept.push(...names);
    return names.map((name) => [name]);
  }

  write(row: string, ...names: string[]): Promise<unknown> {
    const statements = names.map((name) => sql([name] as unknown as TemplateStringsArray));
    return this.groups.add(row, statements).catch((error: Error) => error.message);
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('those that come while the row is being changed go together, in their order, and have their own rows', async () => {
  const transactions = new Transactions();
  const outcomes = [
    transactions.write('row', 'a1', 'a2'),
    transactions.write('row', 'b1'),
    transactions.write('other', 'x1'),
    transactions.write('row', 'c1', 'c2'),
  ];
  expect(transactions.begun).toEqual([['a1', 'a2'], ['x1']]);
  expect(transactions.groups.waiting).toBe(2);
  transactions.endAll();
  expect(await Promise.all(outcomes)).toEqual([[['a1'], ['a2']], [['b1']], [['x1']], [['c1'], ['c2']]]);
  expect(transactions.begun).toEqual([['a1', 'a2'], ['x1'], ['b1', 'c1', 'c2']]);
  expect(transactions.groups.waiting).toBe(0);
  expect([transactions.groups.groupsTotal, transactions.groups.unitsTotal]).toEqual([3, 4]);
});

test('a row that nobody changes any more is free again', async () => {
  const transactions = new Transactions();
  transactions.endAll();
  await transactions.write('row', 'a1');
  await settled();
  await transactions.write('row', 'b1');
  expect(transactions.begun).toEqual([['a1'], ['b1']]);
});

test('who fails fails alone: the others are kept, in their order', async () => {
  const transactions = new Transactions();
  transactions.fail('c2');
  transactions.fail('e1');
  const outcomes = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => transactions.write('row', `${name}1`, `${name}2`));
  transactions.endAll();
  expect(await Promise.all(outcomes)).toEqual([
    [['a1'], ['a2']],
    [['b1'], ['b2']],
    'c2 failed',
    [['d1'], ['d2']],
    'e1 failed',
    [['f1'], ['f2']],
  ]);
  expect(transactions.kept).toEqual(['a1', 'a2', 'b1', 'b2', 'd1', 'd2', 'f1', 'f2']);
});

test('where all fail, each has been tried once with others before it or alone', async () => {
  const transactions = new Transactions();
  const names = Array.from({ length: 50 }, (_, index) => `w${index}`);
  for (const name of names) transactions.fail(name);
  const outcomes = names.map((name) => transactions.write('row', name));
  transactions.endAll();
  expect(await Promise.all(outcomes)).toEqual(names.map((name) => `${name} failed`));
  expect(transactions.begun).toHaveLength(50);
});

test('where the commit failed they go one by one', async () => {
  const transactions = new Transactions();
  transactions.fail('c1', new Error('at the commit'));
  const outcomes = ['a1', 'b1', 'c1', 'd1'].map((name) => transactions.write('row', name));
  transactions.endAll();
  expect(await Promise.all(outcomes)).toEqual([[['a1']], [['b1']], 'at the commit', [['d1']]]);
  expect(transactions.begun).toEqual([['a1'], ['b1', 'c1', 'd1'], ['b1'], ['c1'], ['d1']]);
});

test('what may have been kept, or could not have the row, is not done again', async () => {
  const transactions = new Transactions();
  transactions.fail('c1', new DatabaseUnavailable('the connection was lost'));
  const outcomes = ['a1', 'b1', 'c1', 'd1'].map((name) => transactions.write('row', name));
  transactions.endAll();
  expect(await Promise.all(outcomes)).toEqual([[['a1']], ...Array(3).fill('the connection was lost')]);
  expect(transactions.begun).toEqual([['a1'], ['b1', 'c1', 'd1']]);
  expect(await transactions.write('row', 'e1')).toEqual([['e1']]);
});

test('a group holds no more than a hundred, and a large one goes alone', async () => {
  const transactions = new Transactions();
  const write = (statement: Sql) => transactions.groups.add('row', [statement]);
  const small = Array.from({ length: 251 }, (_, index) => transactions.write('row', `w${index}`));
  const large = [write(sql`large ${'x'.repeat(2_000_000)}`), write(sql`larger ${new Uint8Array(3_000_000)}`)];
  const last = transactions.write('row', 'last');
  transactions.endAll();
  await Promise.all([...small, ...large, last]);
  expect(transactions.begun.map(({ length }) => length)).toEqual([1, 100, 100, 50, 1, 1, 1]);
});

test('of those that wait there is a most, for a row and for all', async () => {
  const transactions = new Transactions();
  const outcomes = Array.from({ length: 1_003 }, (_, index) => transactions.write('row', `w${index}`));
  const others = Array.from({ length: 10 }, (_, row) => Array.from({ length: 1_001 }, () => transactions.write(`row ${row}`, 'w'))).flat();
  const refused = [...outcomes.slice(-2), ...others.slice(-1_000)];
  expect(await Promise.all(refused)).toEqual(Array(1_002).fill('Too many writes wait for the same row; try again shortly.'));
  expect([transactions.groups.waiting, transactions.groups.refusedTotal]).toEqual([10_000, 1_002]);
  transactions.endAll();
  expect(await outcomes[1_000]).toEqual([['w1000']]);
});

test('each group runs in the lane of its first', async () => {
  const transactions = new Transactions();
  const outcomes = ['a', 'b', 'c'].map((lane) => runInLane(lane, () => transactions.write('row', lane)));
  transactions.endAll();
  await Promise.all(outcomes);
  expect(transactions.lanes).toEqual(['a', 'b']);
});
