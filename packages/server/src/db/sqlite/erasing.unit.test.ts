/** What is deleted is in no file of the embedded engine any more. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { backupTo, folderUrl, restoredNotes, waitForSnapshots } from '../continuous-backup/backup-for-test.ts';
import { sql } from '../sql.ts';
import { insertNote, newFolder, openForTest } from './open-for-test.ts';

const WORD = 'ineradicable';
const databaseFiles = ['commonplace.db', 'commonplace.db-wal'];

/** The files of the database that hold the word. */
function holding(dataDir: string): string[] {
  return readdirSync(dataDir).filter((name) => databaseFiles.includes(name) && readFileSync(join(dataDir, name)).includes(WORD));
}

test('short and long texts, deleted, edited and moved about in their pages', async () => {
  const dataDir = newFolder();
  const db = await openForTest({ dataDir });
  const lengths = [1, 40, 3_000, 90_000];
  const ids = Array.from({ length: 400 }, (_, index) => `${(index * 7919) % 401}`.padStart(3, '0'));
  for (const [index, id] of ids.entries()) await db.run(insertNote(id, `${WORD} `.repeat(1 + (lengths[index % 4] as number) / 13)));
  for (const id of ids.slice(0, 100)) await db.run(sql`update notes set body = ${`${WORD} and another`} where id = ${id}`);
  await db.eraseDeleted();
  expect(holding(dataDir)).toEqual(['commonplace.db']);
  for (const id of ids.slice(0, 50)) await db.run(sql`update notes set body = 'nothing' where id = ${id}`);
  for (const id of ids.slice(50)) await db.run(sql`delete from notes where id = ${id}`);
  expect(holding(dataDir)).not.toEqual([]);
  await db.eraseDeleted();
  expect(holding(dataDir)).toEqual([]);
  expect(statSync(join(dataDir, 'commonplace.db-wal')).size).toBe(0);
  await db.run(insertNote('after'));
  expect((await db.one(sql<{ count: number }>`select count(*) as count from notes`)).count).toBe(51);
});

test('a read that lasts is waited for, and nobody who writes waits meanwhile', async () => {
  const dataDir = newFolder();
  const db = await openForTest({ dataDir });
  await db.run(insertNote('a', WORD));
  const reader = new DatabaseSync(join(dataDir, 'commonplace.db'), { readOnly: true });
  reader.exec('begin');
  reader.prepare('select * from notes').all();
  await db.run(sql`delete from notes`);
  let isErased = false;
  const erasing = db.eraseDeleted().then(() => (isErased = true));
  for (let index = 0; index < 20; index++) await db.run(insertNote(`n${index}`));
  expect([isErased, holding(dataDir).length > 0]).toEqual([false, true]);
  reader.exec('commit');
  reader.close();
  await erasing;
  expect(holding(dataDir)).toEqual([]);
});

test('with a continuous backup, which loses nothing by it and begins nothing anew', async () => {
  const [dataDir, target] = [newFolder(), newFolder()];
  const backup = backupTo(folderUrl(target));
  const db = await openForTest({ dataDir, backup });
  await waitForSnapshots(db);
  for (let round = 0; round < 5; round++) {
    await db.run(insertNote(`a${round}`, WORD));
    await db.run(insertNote(`b${round}`));
    await db.run(sql`delete from notes where id = ${`a${round}`}`);
    await db.eraseDeleted();
    expect(holding(dataDir)).toEqual([]);
  }
  await db.run(insertNote('last'));
  await db.close();
  expect((await restoredNotes(backup)).ids).toEqual(['b0', 'b1', 'b2', 'b3', 'b4', 'last']);
  expect(db.gauges().backup_generations_total).toBe(1);
});
