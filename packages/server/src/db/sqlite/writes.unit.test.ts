import type { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DatabaseUnavailable, ReferenceViolation, UniqueViolation } from '../errors.ts';
import { raw, sql } from '../sql.ts';
import { insertNote, noteIds, openForTest, slowCount } from './open-for-test.ts';

test('writes that wait together share a commit', async () => {
  const db = await openForTest();
  const before = db.gauges().write_groups_total as number;
  await Promise.all(Array.from({ length: 300 }, (_, index) => db.run(insertNote(`n${index}`))));
  expect((db.gauges().write_groups_total as number) - before).toBeLessThanOrEqual(3);
  expect(await noteIds(db)).toHaveLength(300);
});

test('a unit that fails is undone alone, and the others of its group are kept', async () => {
  const db = await openForTest();
  const groups = db.gauges().write_groups_total as number;
  const outcomes = await Promise.allSettled([
    db.run(insertNote('a')),
    db.batch([insertNote('b'), insertNote('a')]),
    db.run(insertNote('a')),
    db.run(insertNote('c')),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
  expect(db.gauges().write_groups_total).toBe(groups + 1);
  expect(await noteIds(db)).toEqual(['a', 'c']);
});

test('what fails leaves no trace, wherever in its unit and in its group it fails', async () => {
  const missing = () => new Error('no such note');
  const unmet = sql`update notes set body = 'x' where id = 'none'`.orElse(missing);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.constantFrom('good', 'taken', 'unmet'), { minLength: 1, maxLength: 4 }), { maxLength: 8 }),
      async (plan) => {
        const db = await openForTest();
        await db.run(insertNote('taken'));
        const statements = plan.map((unit, place) =>
          unit.map((kind, index) => (kind === 'unmet' ? unmet : insertNote(kind === 'taken' ? 'taken' : `${place}.${index}`))),
        );
        const outcomes = await Promise.allSettled(statements.map((unit) => db.batch(unit)));
        const isGood = (unit: readonly string[]) => unit.every((kind) => kind === 'good');
        expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(plan.map(isGood));
        const kept = plan.flatMap((unit, place) => (isGood(unit) ? unit.map((_, index) => `${place}.${index}`) : []));
        expect(await noteIds(db)).toEqual([...kept, 'taken'].sort());
        await db.close();
      },
    ),
    { numRuns: 40 },
  );
});

test('units around a transaction that is kept or undone are kept whatever fails beside them', async () => {
  const db = await openForTest();
  const outcomes = await Promise.allSettled([
    db.batch([insertNote('a'), insertNote('b')]),
    db.transaction(async (tx) => void (await tx.run(insertNote('c')))),
    db.batch([insertNote('d'), insertNote('a')]),
    db.run(insertNote('e')),
    db.transaction(async (tx) => {
      await tx.run(insertNote('f'));
      throw new Error('no');
    }),
    db.batch([insertNote('g'), insertNote('h')]),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled']);
  expect(await noteIds(db)).toEqual(['a', 'b', 'c', 'e', 'g', 'h']);
});

test('a unique violation names the table and its columns', async () => {
  const db = await openForTest();
  await db.batch([insertNote('a'), sql`insert into tags (note_id, name) values ('a', 'x')`]);
  const noteTwice = await db.run(insertNote('a')).catch((error) => error);
  expect(noteTwice).toBeInstanceOf(UniqueViolation);
  expect(noteTwice).toMatchObject({ table: 'notes', columns: ['id'] });
  const tagTwice = await db.run(sql`insert into tags (note_id, name) values (${'a'}, ${'x'})`).catch((error) => error);
  expect(tagTwice).toMatchObject({ name: 'UniqueViolation', table: 'tags', columns: ['note_id', 'name'] });
});

test('any other failure carries the text of the statement and never its parameters', async () => {
  const db = await openForTest();
  const error = await db.run(sql`insert into tags (note_id, name) values (${'secret'}, ${null})`).catch((failure) => failure);
  expect(error).toMatchObject({
    message: 'NOT NULL constraint failed: tags.name',
    statement: 'insert into tags (note_id, name) values (?, ?)',
  });
  expect(JSON.stringify([error, error.message, String(error.cause)])).not.toContain('secret');
  await expect(db.run(sql`insert into nowhere values (1)`)).rejects.toThrow('no such table: nowhere');
});

test('a guarded statement without a row undoes its batch and throws its own error', async () => {
  const db = await openForTest();
  const missing = () => new Error('no such note');
  const update = sql`update notes set body = 'x' where id = 'none'`;
  await expect(db.batch([insertNote('a'), update.orElse(missing)])).rejects.toThrow('no such note');
  await expect(db.batch([insertNote('b'), sql`${update} returning id`.orElse(missing)])).rejects.toThrow('no such note');
  await expect(db.batch([insertNote('c'), sql`select id from notes where id = 'none'`.orElse(missing)])).rejects.toThrow('no such note');
  await expect(db.run(update.orElse(missing))).rejects.toThrow('no such note');
  await expect(db.one(sql`${update} returning id`.orElse(missing))).rejects.toThrow('no such note');
  expect(await noteIds(db)).toEqual([]);
  expect(await db.batch([insertNote('d'), sql`select id from notes where id = 'd'`.orElse(missing)])).toEqual([[], [{ id: 'd' }]]);
});

test('run counts the rows it touched', async () => {
  const db = await openForTest();
  await db.batch([insertNote('a'), insertNote('b')]);
  expect(await db.run(sql`update notes set body = 'x'`)).toBe(2);
  expect(await db.run(sql`delete from notes where id = 'none'`)).toBe(0);
  expect(await db.run(sql`delete from notes where id = 'a' returning id`)).toBe(1);
});

test('a parameter that can not be stored fails its own call only', async () => {
  const db = await openForTest();
  const wrong = db.run(sql`insert into notes (id, body) values ('a', ${(() => 1) as unknown as string})`);
  const right = db.run(insertNote('b'));
  await expect(wrong).rejects.toThrow(TypeError);
  await right;
  expect(await noteIds(db)).toEqual(['b']);
});

test('a write that takes too long is given up, the next is refused at once, and the engine recovers', async () => {
  const db = await openForTest({ statementTimeoutMs: 1_000 });
  const slow = db.run(sql`insert into notes (id, body) select 'slow', n from (${slowCount(12_000_000)})`).catch((error) => error);
  const waiting = new Promise((resolve) => setTimeout(resolve, 50)).then(() => db.run(insertNote('waited'))).catch((error) => error);
  expect((await slow).message).toContain('It may still be carried out');
  expect(await waiting).toBeInstanceOf(DatabaseUnavailable);
  await expect(db.run(insertNote('refused'))).rejects.toThrow('nothing can be written until it ends');
  await expect.poll(() => db.run(insertNote('after')).catch(() => 'refused')).toBe(1);
  expect(await noteIds(db)).toEqual(['after', 'slow']);
});

test('a full disk is said to be full, and what fits is still taken', async () => {
  const db = await openForTest();
  await db.run(insertNote('before'));
  const { page_count: pages } = await db.one(sql<{ page_count: number }>`pragma page_count`);
  await db.batch([sql`pragma max_page_count = ${raw(String(pages + 2))}`]);
  const [tooLarge, small] = await Promise.allSettled([
    db.batch([insertNote('half'), insertNote('large', 'x'.repeat(100_000))]),
    db.run(insertNote('small')),
  ]);
  expect(tooLarge).toMatchObject({ status: 'rejected', reason: { name: 'DatabaseUnavailable' } });
  expect((tooLarge as PromiseRejectedResult).reason.message).toContain('is full');
  // Whether SQLite undoes the one statement or the whole transaction is its choice; either way the answers tell what is kept.
  expect(await noteIds(db)).toEqual(small.status === 'fulfilled' ? ['before', 'small'] : ['before']);
  expect(await db.run(insertNote('after'))).toBe(1);
});

test('when the writer thread dies, what it had is refused and another takes its place', async () => {
  let writer: Worker | undefined;
  const onWorker = (worker: Worker) => {
    writer ??= worker;
  };
  process.on('worker', onWorker);
  const db = await openForTest().finally(() => process.off('worker', onWorker));
  const lost = db.run(sql`insert into notes (id, body) select 'lost', n from (${slowCount(2_000_000)})`).catch((error) => error);
  await new Promise((resolve) => setTimeout(resolve, 50));
  await writer?.terminate();
  expect(await lost).toBeInstanceOf(DatabaseUnavailable);
  expect(await db.run(insertNote('kept'))).toBe(1);
  expect(db.gauges().writer_restarts_total).toBe(1);
  expect(await noteIds(db)).toContain('kept');
});

test('a migration that fails leaves nothing, and its record goes with it', async () => {
  const db = await openForTest();
  const record = (name: string) => sql`insert into schema_migrations (name) values (${name})`;
  await expect(db.migrate('create table a (id text); create table a (id text);', record('one'))).rejects.toThrow('already exists');
  await db.migrate('create table a (id text); create table b (id text);', record('two'));
  await expect(db.migrate('create table c (id text)', record('two'))).rejects.toThrow(UniqueViolation);
  await expect(db.migrate('commit')).rejects.toThrow('must not begin or end a transaction');
  const made = await db.query(sql<{ name: string }>`select name from sqlite_master where name in ('a', 'b', 'c') order by name`);
  expect(made.map(({ name }) => name)).toEqual(['a', 'b']);
  expect(await db.query(sql`select name from schema_migrations`)).toEqual([{ name: 'two' }]);
});

test('a migration may rebuild a table that others point to, and may not leave rows that point nowhere', async () => {
  const db = await openForTest();
  await db.batch([insertNote('a'), sql`insert into tags (note_id, name) values ('a', 'x')`]);
  await db.exec(`create table n2 (id text primary key, body text); insert into n2 select id, body from notes;
    drop table notes; alter table n2 rename to notes;`);
  expect(await db.query(sql`select name from tags`)).toEqual([{ name: 'x' }]);
  await expect(db.exec('delete from notes')).rejects.toThrow('rows of tags that point to no row of notes');
  await expect(db.run(sql`insert into tags (note_id, name) values ('none', 'x')`)).rejects.toThrow(ReferenceViolation);
});

test('after a migration every thread sees the new columns', async () => {
  const db = await openForTest();
  await db.run(insertNote('a'));
  const all = () => sql<Record<string, unknown>>`select * from notes where id = ${'a'}`;
  expect(Object.keys((await db.query(all()))[0] ?? {})).toHaveLength(4);
  expect(Object.keys((await db.maybeOne(all())) ?? {})).toHaveLength(4);
  await db.exec('alter table notes add column mood text');
  expect((await db.query(all()))[0]).toHaveProperty('mood', null);
  expect(await db.maybeOne(all())).toHaveProperty('mood', null);
  expect((await db.batch([all()]))[0]?.[0]).toHaveProperty('mood', null);
});
