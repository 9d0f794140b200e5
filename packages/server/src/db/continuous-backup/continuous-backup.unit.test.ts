import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { Log } from '../../logging.ts';
import { openSqlite, type SqliteDatabase } from '../sqlite/engine.ts';
import { insertNote, newFolder, noteIds, openForTest } from '../sqlite/open-for-test.ts';
import { backupTo, filesIn, folderUrl, restoredNotes, waitForSnapshots } from './backup-for-test.ts';
import { readFolderId, readOwner, writeOwner } from './ownership.ts';
import { openTarget } from './target.ts';

interface Lines {
  readonly log: Log;
  readonly messages: string[];
}

function newLog(): Lines {
  const messages: string[] = [];
  const write = (fields: object, message: string) => messages.push(`${message} ${JSON.stringify(fields)}`);
  return { log: { info: write, warn: write, error: write }, messages };
}

const generationsIn = (folder: string) => readdirSync(folder).filter((name) => /^\d{8}-/.test(name));

test('what was written is restored, and a proper stop and start go on in the same generation', async () => {
  const [dataDir, target] = [newFolder(), newFolder()];
  const backup = backupTo(folderUrl(target));
  const first = await openForTest({ dataDir, backup });
  await first.run(insertNote('a'));
  await waitForSnapshots(first);
  await first.run(insertNote('b'));
  await first.close();
  expect(readdirSync(join(dataDir, 'backup', 'segments'))).toEqual([]);
  const second = await openSqlite({ dataDir, backup });
  await second.run(insertNote('c'));
  await second.close();
  expect((await restoredNotes(backup)).ids).toEqual(['a', 'b', 'c']);
  expect(generationsIn(target)).toHaveLength(1);
  for (const file of filesIn(target)) expect(statSync(join(target, file)).mode & 0o077).toBe(0);
});

test('a transaction that is larger than a segment is restored whole', async () => {
  const [dataDir, target] = [newFolder(), newFolder()];
  const backup = backupTo(folderUrl(target));
  const db = await openForTest({ dataDir, backup });
  await waitForSnapshots(db);
  await db.batch(Array.from({ length: 18 }, (_, index) => insertNote(`n${index}`, 'x'.repeat(1_000_000))));
  await db.close();
  const segments = filesIn(target).filter((name) => name.includes('/segments/'));
  expect(segments.filter((name) => name.endsWith('-part')).length).toBeGreaterThan(1);
  expect((await restoredNotes(backup)).ids).toHaveLength(18);
});

test('the log stays small while it is cut, though much is written', async () => {
  const [dataDir, target] = [newFolder(), newFolder()];
  const backup = backupTo(folderUrl(target), { intervalMs: 1 });
  const db = await openForTest({ dataDir, backup });
  await waitForSnapshots(db);
  for (let n = 0; n < 20; n++) await db.run(insertNote(`n${n}`, 'x'.repeat(1_000_000)));
  await db.close();
  expect(generationsIn(target)).toHaveLength(1);
  expect((await restoredNotes(backup)).ids).toHaveLength(20);
});

test('however long the interval, a generation begins at once and a large log is cut', async () => {
  const [dataDir, target] = [newFolder(), newFolder()];
  const backup = backupTo(folderUrl(target), { intervalMs: 3_600_000 });
  const db = await openForTest({ dataDir, backup });
  await waitForSnapshots(db);
  const stored = () => filesIn(target).filter((name) => name.includes('/segments/')).length;
  const before = stored();
  for (let n = 0; n < 20; n++) await db.run(insertNote(`n${n}`, 'x'.repeat(1_000_000)));
  await expect.poll(stored).toBeGreaterThan(before);
  await db.close();
  expect(generationsIn(target)).toHaveLength(1);
  expect((await restoredNotes(backup)).ids).toHaveLength(20);
});

test('a log that another program folds away begins a new generation, and nothing is lost', async () => {
  const [dataDir, target] = [newFolder(), newFolder()];
  const backup = backupTo(folderUrl(target));
  const db = await openForTest({ dataDir, backup });
  await waitForSnapshots(db);
  const stranger = new DatabaseSync(join(dataDir, 'commonplace.db'), { timeout: 5_000 });
  for (let n = 0; n < 20; n++) {
    await db.run(insertNote(`n${n}`));
    stranger.exec(`insert into notes (id) values ('s${n}'); pragma wal_checkpoint(passive)`);
  }
  stranger.close();
  await waitForSnapshots(db, 2);
  await db.run(insertNote('last'));
  // Each gap that was found begins another generation, which counts from its snapshot on.
  await expect.poll(async () => (await restoredNotes(backup)).ids.length).toBe(41);
  await db.close();
  expect(generationsIn(target).length).toBeGreaterThan(1);
});

test.for(['without a backup', 'by another program'])('what was written %s begins a new generation', async (way) => {
  const [dataDir, target] = [newFolder(), newFolder()];
  const backup = backupTo(folderUrl(target));
  const first = await openForTest({ dataDir, backup });
  await waitForSnapshots(first);
  await first.close();
  if (way === 'without a backup') {
    const plain = await openSqlite({ dataDir });
    await plain.run(insertNote('between'));
    await plain.close();
  } else {
    const stranger = new DatabaseSync(join(dataDir, 'commonplace.db'));
    stranger.exec(`insert into notes (id) values ('between')`);
    stranger.close();
  }
  const second = await openSqlite({ dataDir, backup });
  await waitForSnapshots(second);
  await second.run(insertNote('last'));
  await second.close();
  expect(generationsIn(target)).toHaveLength(2);
  expect((await restoredNotes(backup)).ids).toEqual(['between', 'last']);
});

test('a target that is away costs nothing but history: the spool is bounded, writes go on, and it begins anew', async () => {
  const [dataDir, folder] = [newFolder(), newFolder()];
  const target = join(folder, 'target');
  const { log, messages } = newLog();
  const backup = backupTo(folderUrl(target), { spoolBytes: 300_000 });
  const db = await openForTest({ dataDir, backup, log });
  await waitForSnapshots(db);
  // A file in place of the folder: a disk that is not mounted.
  renameSync(target, `${target}-away`);
  writeFileSync(target, '');
  const random = () => Array.from({ length: 1000 }, () => Math.random().toString(36)).join('');
  let written = 0;
  for (; !messages.some((line) => line.includes('COMMONPLACE_BACKUP_SPOOL_MB')); written++)
    await db.run(insertNote(`n${written}`, random()));
  const waiting = filesIn(join(dataDir, 'backup', 'segments')).reduce(
    (sum, name) => sum + statSync(join(dataDir, 'backup', 'segments', name)).size,
    0,
  );
  expect(waiting).toBeLessThan(1_000_000);
  await expect.poll(() => db.gauges().backup_is_failing).toBe(1);
  rmSync(target);
  renameSync(`${target}-away`, target);
  await waitForSnapshots(db, 2);
  await db.run(insertNote('last'));
  await db.close();
  expect(messages.filter((line) => line.startsWith('The continuous backup fails'))).toHaveLength(1);
  expect(messages.filter((line) => line.startsWith('The continuous backup works again'))).toHaveLength(1);
  expect(generationsIn(target).length).toBeGreaterThan(1);
  expect((await restoredNotes(backup)).ids).toHaveLength(written + 1);
});

/** A service that was stopped while its target was away, and the target, which is back. */
async function stoppedWhileAway() {
  const [dataDir, folder] = [newFolder(), newFolder()];
  const target = join(folder, 'target');
  const backup = backupTo(folderUrl(target), { finishMs: 1 });
  const first = await openForTest({ dataDir, backup });
  await waitForSnapshots(first);
  renameSync(target, `${target}-away`);
  writeFileSync(target, '');
  await first.run(insertNote('a'));
  await first.close();
  expect(readdirSync(join(dataDir, 'backup', 'segments')).length).toBeGreaterThan(0);
  rmSync(target);
  renameSync(`${target}-away`, target);
  return { dataDir, target, backup };
}

test('what waits for a target that is away when the service stops is sent by the next start', async () => {
  const { dataDir, target, backup } = await stoppedWhileAway();
  await (await openForTestAgain(dataDir, backup)).close();
  expect((await restoredNotes(backup)).ids).toEqual(['a']);
  expect(generationsIn(target)).toHaveLength(1);
});

test.for([
  ['the same, written differently', (url: string) => `${url}/`, 0],
  ['another', (url: string) => `${url}-2`, 1],
] as const)('what waits for a target is kept where the settings name %s', async ([, rename, warnings]) => {
  const { dataDir, backup } = await stoppedWhileAway();
  const { log, messages } = newLog();
  const second = await openSqlite({ dataDir, backup: backupTo(rename(backup.url)), log });
  await expect.poll(() => second.gauges().backup_waiting_bytes).toBe(0);
  await second.close();
  expect(messages.filter((line) => line.includes('is dropped'))).toHaveLength(warnings);
  expect((await restoredNotes(backup)).ids).toEqual(warnings === 0 ? ['a'] : []);
});

async function openForTestAgain(dataDir: string, backup: ReturnType<typeof backupTo>): Promise<SqliteDatabase> {
  const db = await openSqlite({ dataDir, backup: { ...backup, finishMs: 300_000 } });
  await expect.poll(() => db.gauges().backup_waiting_bytes).toBe(0);
  return db;
}

test('a target of another data folder is refused until it is taken over, and the one that had it stops', async () => {
  const [one, other, target] = [newFolder(), newFolder(), newFolder()];
  const { log, messages } = newLog();
  const backup = backupTo(folderUrl(target));
  const first = await openForTest({ dataDir: one, backup });
  await waitForSnapshots(first);
  const second = await openForTest({ dataDir: other, backup, log });
  await expect.poll(() => messages.join('\n')).toContain(`The target belongs to the data folder ${one}`);
  expect(messages.join('\n')).toContain('--take-over');
  expect(generationsIn(target)).toHaveLength(1);
  const owner = await readOwner(openTarget(backup));
  const folder = readFolderId(join(other, 'backup'));
  if (!owner || !folder) throw new Error('no owner');
  await writeOwner(openTarget(backup), { ...owner, folder, run: '' });
  await waitForSnapshots(second);
  await second.run(insertNote('of the second'));
  await second.close();
  await first.run(insertNote('of the first'));
  await first.close();
  expect((await restoredNotes(backup)).ids).toEqual(['of the second']);
});

test('a target that was emptied or is not mounted is said to be, and filled again only when told so', async () => {
  const [dataDir, folder] = [newFolder(), newFolder()];
  const target = join(folder, 'target');
  const backup = backupTo(folderUrl(target));
  const first = await openForTest({ dataDir, backup });
  await first.run(insertNote('a'));
  await waitForSnapshots(first);
  await first.close();
  const owner = await readOwner(openTarget(backup));
  rmSync(target, { recursive: true });
  const { log, messages } = newLog();
  const second = await openSqlite({ dataDir, backup, log });
  await second.run(insertNote('b'));
  await expect.poll(() => messages.join('\n')).toContain('The target does not hold what was sent there');
  expect(existsSync(target)).toBe(false);
  if (!owner) throw new Error('no owner');
  await writeOwner(openTarget(backup), { ...owner, run: '' });
  await waitForSnapshots(second);
  await second.close();
  expect((await restoredNotes(backup)).ids).toEqual(['a', 'b']);
});

test('the thread of the backup may die, and another goes on', async () => {
  const [dataDir, target] = [newFolder(), newFolder()];
  const { log } = newLog();
  const failed = Promise.withResolvers<void>();
  // At once: after some deaths in a row it is given up for a minute.
  const giveFolderBack = (_fields: object, message: string) => {
    if (!message.includes('could not read what was written')) return;
    rmSync(join(dataDir, 'backup'));
    renameSync(join(dataDir, 'away'), join(dataDir, 'backup'));
    failed.resolve();
  };
  const backup = backupTo(folderUrl(target));
  const db = await openForTest({ dataDir, backup, log: { ...log, error: giveFolderBack } });
  await waitForSnapshots(db);
  // Its folder gone, it can't cut; a file in its place keeps it from being made again.
  renameSync(join(dataDir, 'backup'), join(dataDir, 'away'));
  writeFileSync(join(dataDir, 'backup'), '');
  await db.run(insertNote('a'));
  await failed.promise;
  expect(await noteIds(db)).toEqual(['a']);
  await db.run(insertNote('b'));
  await db.close();
  expect((await restoredNotes(backup)).ids).toEqual(['a', 'b']);
});

test('a restore is refused while the service has the folder, and keeps what was there', async () => {
  const [dataDir, target] = [newFolder(), newFolder()];
  const backup = backupTo(folderUrl(target));
  const db = await openForTest({ dataDir, backup });
  await waitForSnapshots(db);
  const { restoreFromTarget } = await import('./restoring.ts');
  const restore = (force: boolean) => restoreFromTarget(openTarget(backup), backup.url, dataDir, { force });
  await expect(restore(true)).rejects.toThrow('in use by process');
  await db.close();
  await expect(restore(false)).rejects.toThrow('already holds a database');
  expect(existsSync((await restore(true)).keptAt as string)).toBe(true);
});
