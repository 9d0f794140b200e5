import { expect, test } from 'vitest';
import { readMigrations } from '../migrate.ts';
import { statementsOf } from './scripts.ts';

test('a script is cut at its semicolons', () => {
  expect(statementsOf('create table a (id int);\n\ninsert into a values (1) ; select 1')).toEqual([
    'create table a (id int)',
    'insert into a values (1)',
    'select 1',
  ]);
  expect(statementsOf('  \n;; -- nothing; at all\n /* nor; here */ ;')).toEqual([]);
});

test('and not inside of texts, names, comments and bodies', () => {
  const whole = [
    `select 'a;''b;' as "c;""d"`,
    'select 1 -- a comment; with one\n + 1',
    'select /* two; of; them */ 2',
    'do $$ begin perform 1; end $$',
    'create function f() returns int as $body$ select 1; select $$;$$ $body$ language sql',
  ];
  expect(statementsOf(whole.join(';\n'))).toEqual(whole);
});

test('the released migrations are as many statements as end a line', async () => {
  for (const { name, script } of await readMigrations('postgres')) {
    expect(statementsOf(script).length, name).toBe(script.split('\n').filter((line) => /;$/.test(line) && !/^\s*--/.test(line)).length);
  }
});
