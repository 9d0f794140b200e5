import { expect, test } from 'vitest';
import type { Transaction } from '../database.ts';
import { DatabaseUnavailable, UniqueViolation } from '../errors.ts';
import { sql } from '../sql.ts';
import { insertNote, noteIds, openForTest } from './open-for-test.ts';

test('a transaction sees its own writes, and nobody else sees them before it is over', async () => {
  const db = await openForTest();
  const answer = await db.transaction(async (tx) => {
    await tx.run(insertNote('a'));
    expect(await noteIds(tx)).toEqual(['a']);
    expect(await tx.maybeOne(sql`select id from notes where id = 'a'`)).toEqual({ id: 'a' });
    expect(await db.maybeOne(sql`select id from notes where id = 'a'`)).toBeUndefined();
    expect(await noteIds(db)).toEqual([]);
    return 'done';
  });
  expect(answer).toBe('done');
  expect(await noteIds(db)).toEqual(['a']);
});

test('a transaction whose work throws leaves nothing, and rejects with what was thrown', async () => {
  const db = await openForTest();
  const beside = db.run(insertNote('beside'));
  const failing = db.transaction(async (tx) => {
    await tx.batch([insertNote('a'), insertNote('b')]);
    throw new Error('changed my mind');
  });
  const after = db.run(insertNote('after'));
  await expect(failing).rejects.toThrow('changed my mind');
  await Promise.all([beside, after]);
  expect(await noteIds(db)).toEqual(['after', 'beside']);
});

test('nothing else is written while a transaction is open', async () => {
  const db = await openForTest();
  let outside: Promise<number> | undefined;
  await db.transaction(async (tx) => {
    await tx.run(insertNote('a'));
    outside = db.run(sql`update notes set body = 'outside'`);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await tx.one(sql`select body from notes`)).toEqual({ body: '' });
  });
  expect(await outside).toBe(1);
});

test('transactions that wait together share commits with each other and with plain writes', async () => {
  const db = await openForTest();
  const before = db.gauges().write_groups_total as number;
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => [
      db.run(insertNote(`run${index}`)),
      db.transaction(async (tx) => {
        const { n } = await tx.one(sql<{ n: number }>`select count(*) as n from notes`);
        await tx.run(insertNote(`tx${index}`, String(n)));
      }),
    ]).flat(),
  );
  expect((db.gauges().write_groups_total as number) - before).toBeLessThan(20);
  const counts = await db.query(sql<{ body: string }>`select body from notes where id like 'tx%'`);
  expect(new Set(counts.map(({ body }) => body)).size).toBe(20);
});

test('one failed statement undoes the transaction, even when its work goes on', async () => {
  const db = await openForTest();
  await db.run(insertNote('a'));
  const swallowing = db.transaction(async (tx) => {
    await tx.run(insertNote('b'));
    await tx.run(insertNote('a')).catch(() => {});
    await expect(tx.run(insertNote('c'))).rejects.toThrow('has already failed');
  });
  await expect(swallowing).rejects.toThrow(UniqueViolation);
  const forgetting = db.transaction(async (tx) => {
    await tx.run(insertNote('d'));
    tx.run(insertNote('a')).catch(() => {});
  });
  await expect(forgetting).rejects.toThrow(UniqueViolation);
  expect(await noteIds(db)).toEqual(['a']);
});

test('a guard inside a transaction undoes it', async () => {
  const db = await openForTest();
  const work = db.transaction(async (tx) => {
    await tx.run(insertNote('a'));
    await tx.run(sql`delete from notes where id = 'none'`.orElse(() => new Error('gone')));
  });
  await expect(work).rejects.toThrow('gone');
  expect(await noteIds(db)).toEqual([]);
});

test('a transaction that stays open too long is rolled back, and says what to do', async () => {
  const db = await openForTest({ transactionTimeoutMs: 100 });
  let late: Promise<unknown> | undefined;
  const deadlock = db.transaction(async (tx) => {
    await tx.run(insertNote('a'));
    late = db.run(insertNote('b'));
    await late;
    await tx.run(insertNote('c'));
  });
  const error = await deadlock.catch((failure) => failure);
  expect(error).toBeInstanceOf(DatabaseUnavailable);
  expect(error.message).toContain('inside a transaction use only its own calls');
  await late;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await noteIds(db)).toEqual(['b']);
});

test('a call of a transaction that is over is refused', async () => {
  const db = await openForTest();
  let kept: Transaction | undefined;
  await db.transaction(async (tx) => {
    kept = tx;
  });
  await expect(kept?.run(insertNote('a'))).rejects.toThrow('The transaction is over');
  await expect(kept?.query(sql`select 1`)).rejects.toThrow('The transaction is over');
  expect(await noteIds(db)).toEqual([]);
});
