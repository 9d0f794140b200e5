import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { DatabaseUnusable } from '../errors.ts';
import { sql } from '../sql.ts';
import { backupDataDir, restoreDataDir } from './backup.ts';
import { openSqlite } from './engine.ts';
import { readLockOwner } from './lock.ts';
import { insertNote, newFolder, noteIds, openForTest, tables } from './open-for-test.ts';

const here = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);

/** Another process that runs the given module, and its lines of output. */
function runElsewhere(source: string): { child: ChildProcess; lines: AsyncIterator<string> } {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  if (!child.stdout) throw new Error('no output');
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}

test('a folder in use by another process is refused by name, and free once that process is killed', async () => {
  const dataDir = newFolder();
  const { child, lines } = runElsewhere(`
    const { lockDataDir } = await import(${here('./lock.ts')});
    globalThis.lock = lockDataDir(${JSON.stringify(dataDir)}, { address: 'http://localhost:1' });
    console.log('locked');
    setInterval(() => {}, 1000);`);
  await lines.next();
  const error = await openSqlite({ dataDir }).catch((failure) => failure);
  expect(error).toBeInstanceOf(DatabaseUnusable);
  expect(error.message).toContain(`The data folder ${dataDir} is in use by process ${child.pid} on `);
  expect(error.message).toContain('COMMONPLACE_DATA_DIR');
  expect(readLockOwner(dataDir)).toMatchObject({ pid: child.pid, address: 'http://localhost:1' });
  child.kill('SIGKILL');
  await once(child, 'exit');
  const db = await openForTest({ dataDir });
  expect(readLockOwner(dataDir)?.pid).toBe(process.pid);
  await db.close();
  expect(readLockOwner(dataDir)).toBeUndefined();
});

test('a folder in use by this process is refused to a second opener, and free after closing', async () => {
  const dataDir = newFolder();
  const first = await openForTest({ dataDir });
  await expect(openSqlite({ dataDir })).rejects.toThrow(`in use by process ${process.pid}`);
  await first.run(insertNote('a'));
  await first.close();
  const second = await openSqlite({ dataDir });
  expect(await noteIds(second)).toEqual(['a']);
  await second.close();
});

test('what was acknowledged survives kill -9, in the folder and in a backup of it', async () => {
  const dataDir = newFolder();
  const { child, lines } = runElsewhere(`
    const { openSqlite } = await import(${here('./engine.ts')});
    const { sql } = await import(${here('../sql.ts')});
    const db = await openSqlite({ dataDir: ${JSON.stringify(dataDir)} });
    await db.exec(${JSON.stringify(tables)});
    for (let n = 0; ; n++) { await db.run(sql\`insert into notes (id) values (\${String(n)})\`); console.log(n); }`);
  let acknowledged = 0;
  for (let line = await lines.next(); !line.done; line = await lines.next()) {
    acknowledged = Number(line.value);
    if (acknowledged === 200) child.kill('SIGKILL');
  }
  expect(acknowledged).toBeGreaterThanOrEqual(200);
  const copyDir = newFolder();
  const target = join(newFolder(), 'backup.db');
  await backupDataDir(dataDir, target);
  await restoreDataDir(target, copyDir);
  for (const folder of [dataDir, copyDir]) {
    const db = await openSqlite({ dataDir: folder });
    const ids = new Set(await noteIds(db));
    await db.close();
    for (let n = 0; n <= acknowledged; n++) expect(ids.has(String(n))).toBe(true);
  }
});

test('the folder and its files are for the owner only', async () => {
  const dataDir = join(newFolder(), 'new', 'data');
  const db = await openForTest({ dataDir });
  await db.run(insertNote('a'));
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(dataDir)) expect([name, statSync(join(dataDir, name)).mode & 0o777]).toEqual([name, 0o600]);
  expect(readdirSync(dataDir)).toContain('commonplace.db-wal');
});

test.for(['garbage', 'truncated'])('a %s file is named, and left as it is', async (damage) => {
  const dataDir = newFolder();
  const file = join(dataDir, 'commonplace.db');
  if (damage === 'garbage') writeFileSync(file, 'this is not a database, it only looks like a file of some length'.repeat(100));
  else {
    const db = await openForTest({ dataDir });
    await Promise.all(Array.from({ length: 100 }, (_, index) => db.run(insertNote(`n${index}`, 'x'.repeat(1000)))));
    await db.close();
    truncateSync(file, 20_480);
  }
  const before = readFileSync(file);
  const error = await openSqlite({ dataDir }).catch((failure) => failure);
  expect(error).toBeInstanceOf(DatabaseUnusable);
  expect(error.message).toContain(file);
  expect(error.message).toContain('restore a backup');
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(readLockOwner(dataDir)).toBeUndefined();
});

test('closing finishes what waits, refuses what comes after, and leaves one file', async () => {
  const dataDir = newFolder();
  const db = await openForTest({ dataDir });
  const writes = Array.from({ length: 2_000 }, (_, index) => db.run(insertNote(`n${index}`)));
  const transaction = db.transaction(async (tx) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    await tx.run(insertNote('tx'));
  });
  const scan = db.query(sql`select count(*) as n from notes`);
  const closing = db.close();
  expect(db.close()).toBe(closing);
  await expect(db.run(insertNote('late'))).rejects.toThrow('closing');
  await expect(db.query(sql`select 1`)).rejects.toThrow('closing');
  await expect(db.maybeOne(sql`select 1`)).rejects.toThrow('closing');
  await expect(db.ping()).rejects.toThrow('closing');
  await closing;
  await Promise.all([...writes, transaction, scan]);
  expect(readdirSync(dataDir).sort()).toEqual(['commonplace.db', 'commonplace.lock']);
  const again = await openSqlite({ dataDir });
  expect(await noteIds(again)).toHaveLength(2_001);
  await again.close();
});

test('a backup taken while writing is whole, and can be restored', async () => {
  const dataDir = newFolder();
  const target = join(newFolder(), 'backup.db');
  const db = await openForTest({ dataDir });
  let writing = true;
  let written = 0;
  const writer = (async () => {
    // Pairs in one batch: a backup that is not of one moment would have one without the other.
    while (writing) await db.batch([insertNote(`a${written}`), insertNote(`b${written++}`)]);
  })();
  await expect.poll(() => written).toBeGreaterThan(50);
  const before = written;
  await db.backup(target);
  writing = false;
  await writer;
  await expect(backupDataDir(dataDir, target)).rejects.toThrow('already exists');

  const restored = newFolder();
  expect(await restoreDataDir(target, restored)).toBeUndefined();
  const copy = await openSqlite({ dataDir: restored });
  const ids = await noteIds(copy);
  await copy.close();
  expect(ids.length).toBeGreaterThanOrEqual(2 * (before - 1));
  expect(ids.filter((id) => id.startsWith('a')).length).toBe(ids.filter((id) => id.startsWith('b')).length);
  expect(statSync(target).mode & 0o777).toBe(0o600);
});

test('a backup can be taken by another process, and of a folder at rest', async () => {
  const dataDir = newFolder();
  const db = await openForTest({ dataDir });
  await db.run(insertNote('a'));
  const targets = newFolder();
  const { child } = runElsewhere(`
    const { backupDataDir } = await import(${here('./backup.ts')});
    await backupDataDir(${JSON.stringify(dataDir)}, ${JSON.stringify(join(targets, 'running.db'))});`);
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(await db.run(insertNote('b'))).toBe(1);
  await db.close();
  await backupDataDir(dataDir, join(targets, 'resting.db'));
  expect(readdirSync(targets).sort()).toEqual(['resting.db', 'running.db']);
  await expect(backupDataDir(newFolder(), join(targets, 'none.db'))).rejects.toThrow('There is no database');
});

test('restoring over a database needs force, and keeps the old one', async () => {
  const dataDir = newFolder();
  const target = join(newFolder(), 'backup.db');
  const db = await openForTest({ dataDir });
  await db.run(insertNote('old'));
  await db.backup(target);
  await db.run(insertNote('new'));
  await expect(restoreDataDir(target, dataDir, { force: true })).rejects.toThrow('in use by process');
  await db.close();
  await expect(restoreDataDir(target, dataDir)).rejects.toThrow('already holds a database');
  const keptAt = await restoreDataDir(target, dataDir, { force: true });
  expect(keptAt).toContain('commonplace.db.before-restore-');
  const restored = await openSqlite({ dataDir });
  expect(await noteIds(restored)).toEqual(['old']);
  await restored.close();
  await backupDataDir(dataDir, join(dataDir, 'again.db'));
  const elsewhere = newFolder();
  await restoreDataDir(keptAt as string, elsewhere);
  const old = await openSqlite({ dataDir: elsewhere });
  expect(await noteIds(old)).toEqual(['new', 'old']);
  await old.close();
});

test('only a sound database of ours is restored', async () => {
  const folder = newFolder();
  const target = join(folder, 'garbage.db');
  writeFileSync(target, 'garbage'.repeat(1000));
  const dataDir = newFolder();
  await expect(restoreDataDir(target, dataDir)).rejects.toThrow('is not a database');
  const stranger = await openSqlite({ dataDir: join(folder, 'stranger') });
  await stranger.exec('create table something (id text)');
  await stranger.backup(join(folder, 'stranger.db'));
  await stranger.close();
  await expect(restoreDataDir(join(folder, 'stranger.db'), dataDir)).rejects.toThrow('is not a Commonplace database');
  await expect(restoreDataDir(join(folder, 'none.db'), dataDir)).rejects.toThrow('There is no backup');
  expect(existsSync(join(dataDir, 'commonplace.db'))).toBe(false);
  expect(readdirSync(dataDir)).toEqual(['commonplace.lock']);
});

test('ping, description and gauges answer', async () => {
  const db = await openForTest();
  await db.ping();
  expect(await db.describe()).toMatch(/^SQLite 3\.\d+\.\d+ at \/.*commonplace\.db \(\d+\.\d MB\)$/);
  expect(db.gauges()).toMatchObject({ write_queue_length: 0, readers_busy: 0 });
});
