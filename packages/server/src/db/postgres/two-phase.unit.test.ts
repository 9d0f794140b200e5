import { expect, test } from 'vitest';
import { dropWaiting, enqueue } from '../../jobs/queue.ts';
import { sql } from '../sql.ts';
import { changesPlainTable, spansPlainTable } from './two-phase.ts';

const added = enqueue({ kind: 'purge-agent', key: 'a', workspaceId: null, payload: {} }, 0);
const dropped = dropWaiting('purge-agent', 'a');
const change = sql`update agents set name = ${'A'} where workspace_id = ${'w'}`;

test('a statement that puts a job in or takes one out is one on a plain table', () => {
  expect([added, dropped, sql`UPDATE  jobs set state = 'ready'`].map(changesPlainTable)).toEqual([true, true, true]);
  const others = [
    change,
    sql`select id from jobs`,
    sql`insert into audits (action) values (${'insert into jobs'})`,
    sql`delete from jobs_seen`,
  ];
  expect(others.map(changesPlainTable)).toEqual([false, false, false, false]);
});

test('only a unit that changes others beside them is committed in two phases', () => {
  expect(spansPlainTable([change, added])).toBe(true);
  expect(spansPlainTable([added, dropped])).toBe(false);
  expect(spansPlainTable([change])).toBe(false);
});
