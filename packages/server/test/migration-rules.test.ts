import { describe, expect, test } from 'vitest';
import { compatibleFrom, readMigrations } from '../src/db/migrate.ts';
import { findBlockingIndexes, findContractions } from './migration-rules.ts';

/** The last one from before the rule. */
const UNRULED = 9;

describe.each(['sqlite', 'postgres'] as const)('on %s', (engine) => {
  test('migrations only expand, or name the migration since which nothing uses what they take away', async () => {
    for (const migration of (await readMigrations(engine)).filter(({ version }) => version > UNRULED)) {
      // The embedded engine has one node, which serves nobody before it is migrated.
      if (engine === 'postgres') expect(findBlockingIndexes(migration.script), migration.name).toEqual([]);
      const from = compatibleFrom(migration) ?? Number.NaN;
      expect(from, migration.name).toBeLessThan(migration.version);
      if (from === UNRULED) expect(findContractions(migration.script), `${migration.version} ${migration.name}`).toEqual([]);
    }
  });
});

const expanding = [
  'create table one (id integer primary key, name text not null, unique (name)); create unique index one_name on one (name);',
  'create table two (id integer); alter table two add constraint two_id check (id > 0); alter table two alter column id drop not null;',
  "alter table jobs add column state text not null default 'drop this; rename that'; -- drop table jobs",
  'alter table jobs add column one text, add column two integer not null default 0;',
  'create index jobs_by_two on jobs (two) where two is not null;',
];
const contracting = {
  'drop table jobs;': 'drops something',
  'alter table jobs drop column state;': 'drops something',
  'alter table jobs\n  rename column state to status;': 'renames something',
  'alter table jobs alter column state type integer;': 'changes the type of a column',
  'alter table jobs alter column state set not null;': 'makes a column demand a value',
  'alter table jobs add column state text not null;': 'adds a column that demands a value',
  'alter table jobs add column one text default 1, add column two text not null;': 'adds a column that demands a value',
  'alter table jobs add constraint jobs_state check (state in (1, 2));': 'adds a constraint',
  'alter table jobs add primary key (workspace_id, id);': 'adds a constraint',
  'create unique index concurrently jobs_once on jobs (state);': 'makes what was there unique',
};

test('an index on a table that was there is made concurrently, or not at all', () => {
  const index = 'create index jobs_by_state on jobs (state)';
  expect(findBlockingIndexes(`${index};`)).toEqual([index]);
  expect(findBlockingIndexes('create unique index on only jobs using btree (state);')).toHaveLength(1);
  expect(findBlockingIndexes('create index concurrently jobs_by_state on jobs (state);')).toEqual([]);
  expect(findBlockingIndexes('create table one (id integer, name text); create index one_name on one (name);')).toEqual([]);
});

test.each(expanding)('%s only expands', (script) => {
  expect(findContractions(script)).toEqual([]);
});

test.each(Object.entries(contracting))('%s %s', (script, what) => {
  expect(findContractions(script)).toEqual([expect.stringContaining(what)]);
});
