/** A service that writes, is killed and starts again: every point in time that can be restored is exactly what was acknowledged before it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { openSqlite } from '../sqlite/engine.ts';
import { insertNote, newFolder, openForTest, tables } from '../sqlite/open-for-test.ts';
import { backupTo, filesIn, folderUrl, restoredNotes, waitForSnapshots } from './backup-for-test.ts';
import type { BackupOptions } from './protocol.ts';
import { planRestore } from './restore-points.ts';
import { openTarget } from './target.ts';

/** For more certainty: BACKUP_ROUNDS=50. */
const ROUNDS = Number(process.env.BACKUP_ROUNDS ?? 3);
const MOST_WRITES = 150;
const POINTS = 2 * ROUNDS;

const here = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);

interface Write {
  readonly beganMs: number;
  readonly acknowledgedMs: number;
}

/** Writes pairs, one after the other, and says of each when it began and when it was acknowledged; killed after so many. */
async function writeUntilKilled(dataDir: string, backup: BackupOptions, first: number, count: number): Promise<Write[]> {
  const source = `
    const { openSqlite } = await import(${here('../sqlite/engine.ts')});
    const { sql } = await import(${here('../sql.ts')});
    const db = await openSqlite({ dataDir: ${JSON.stringify(dataDir)}, backup: ${JSON.stringify(backup)} });
    if (${first} === 0) await db.exec(${JSON.stringify(tables)});
    const insert = (id) => sql\`insert into notes (id, body) values (\${id}, \${'x'.repeat(Math.random() * 20_000)})\`;
    const found = await db.query(sql\`select count(*) as n from notes\`);
    console.log(JSON.stringify(found[0].n / 2));
    for (let n = found[0].n / 2; ; n++) {
      const beganMs = Date.now();
      await db.batch([insert('a' + n), insert('b' + n)]);
      console.log(JSON.stringify({ beganMs, acknowledgedMs: Date.now() }));
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const kept = Number((await lines.next()).value);
  // One may have been committed and not acknowledged when the process was killed.
  expect(kept - first).toBeGreaterThanOrEqual(0);
  expect(kept - first).toBeLessThanOrEqual(1);
  const writes: Write[] = kept > first ? [{ beganMs: 0, acknowledgedMs: Number.POSITIVE_INFINITY }] : [];
  for (let line = await lines.next(); !line.done; line = await lines.next()) {
    writes.push(JSON.parse(line.value) as Write);
    if (writes.length === count) child.kill('SIGKILL');
  }
  await exited;
  return writes;
}

test('at any point in time exactly what was acknowledged before is restored, across kill -9', async () => {
  const [dataDir, target] = [newFolder(), newFolder()];
  const backup = backupTo(folderUrl(target), { intervalMs: 5 });
  const writes: Write[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    writes.push(...(await writeUntilKilled(dataDir, backup, writes.length, Math.ceil(Math.random() * MOST_WRITES))));
  }
  const db = await openSqlite({ dataDir, backup });
  await waitForBackup(backup, db);
  await db.close();

  const latest = await restoredNotes(backup);
  expect(latest.ids.length).toBeGreaterThanOrEqual(2 * writes.length);
  const { manifest, atMs: lastMs } = await planRestore(openTarget(backup), {});
  expect(manifest.atMs).toBeLessThanOrEqual(lastMs);
  const firstMs = Math.min(
    ...filesIn(target)
      .flatMap((name) => /\/snapshots\/\d+-(\d+)-/.exec(name)?.[1] ?? [])
      .map(Number),
  );
  for (let point = 0; point < POINTS; point++) {
    const atMs = firstMs + Math.floor(Math.random() * (lastMs - firstMs + 1));
    const { ids, restored } = await restoredNotes(backup, { atMs });
    const count = ids.length / 2;
    const expected = ['a', 'b'].flatMap((letter) => Array.from({ length: count }, (_, n) => `${letter}${n}`)).sort();
    expect(ids, 'a prefix, and no half of a pair').toEqual(expected);
    expect(restored.atMs).toBeLessThanOrEqual(atMs);
    for (const { beganMs } of writes.slice(0, count)) expect(beganMs).toBeLessThanOrEqual(restored.atMs);
    for (const { acknowledgedMs } of writes.slice(count)) expect(acknowledgedMs).toBeGreaterThanOrEqual(restored.atMs);
  }
});

/** A kill in the middle of the first snapshot leaves none. */
async function waitForBackup(backup: BackupOptions, db: Awaited<ReturnType<typeof openSqlite>>): Promise<void> {
  const hasPoint = async () =>
    planRestore(openTarget(backup), {}).then(
      () => true,
      () => false,
    );
  await expect.poll(hasPoint).toBe(true);
  await expect.poll(() => db.gauges().backup_waiting_bytes).toBe(0);
}

async function newBackup(): Promise<{ readonly backup: BackupOptions; readonly target: string; readonly segments: string[] }> {
  const target = newFolder();
  const backup = backupTo(folderUrl(target));
  const db = await openForTest({ backup });
  await waitForSnapshots(db);
  await expect.poll(() => db.gauges().backup_waiting_bytes).toBe(0);
  const stored = () => filesIn(target).filter((name) => /\/segments\/.*-whole$/.test(name));
  const segments: string[] = [];
  for (let n = 0; n < 6; n++) {
    const before = stored().length;
    await db.run(insertNote(`n${n}`));
    await expect.poll(() => stored().length).toBe(before + 1);
    segments.push(stored().at(-1) as string);
  }
  await db.close();
  return { backup, target, segments };
}

test('a segment that is missing or damaged is named, and the restore stops before it where told so', async () => {
  const { backup, target, segments } = await newBackup();
  const [before, victim] = segments.slice(2, 4).map((name) => join(target, name)) as [string, string];
  const bytes = readFileSync(victim);
  const altered = Buffer.from(bytes);
  altered[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
  const faults: Record<string, () => void> = {
    missing: () => rmSync(victim),
    'cut short': () => truncateSync(victim, 100),
    altered: () => writeFileSync(victim, altered),
    'of another place': () => copyFileSync(before, victim),
  };
  for (const [fault, damage] of Object.entries(faults)) {
    damage();
    const name = fault === 'missing' ? /segment \d+ is missing/ : segments[3];
    await expect(restoredNotes(backup), fault).rejects.toThrow(name as string | RegExp);
    const { ids, restored } = await restoredNotes(backup, { lastWhole: true });
    expect(ids, fault).toEqual(['n0', 'n1', 'n2']);
    expect(restored.faults, fault).toHaveLength(fault === 'missing' ? 0 : 1);
    writeFileSync(victim, bytes);
  }
  // A point from before the damage needs no permission.
  rmSync(victim);
  const earlierMs = Number(/-(\d{14})-/.exec(segments[1] as string)?.[1]);
  expect((await restoredNotes(backup, { atMs: earlierMs })).ids).toEqual(['n0', 'n1']);
});

test('of two segments with one number the one that the next follows is taken', async () => {
  const { backup, target, segments } = await newBackup();
  const [before, twin, last] = [segments[1], segments[2], segments[5]] as [string, string, string];
  const later = (name: string) => name.replace(/-(\d{14})-/, (_, atMs: string) => `-${String(Number(atMs) + 1).padStart(14, '0')}-`);
  copyFileSync(join(target, before), join(target, later(twin)));
  copyFileSync(join(target, last), join(target, later(last)));
  const { ids, restored } = await restoredNotes(backup);
  expect(ids).toEqual(['n0', 'n1', 'n2', 'n3', 'n4', 'n5']);
  expect(restored.faults).toEqual([]);
});

test('a part of a snapshot that is damaged is named', async () => {
  const { backup, target } = await newBackup();
  const [part = ''] = filesIn(target).filter((name) => name.includes('/pages/'));
  truncateSync(join(target, part), 1000);
  await expect(restoredNotes(backup)).rejects.toThrow(part);
  await expect(restoredNotes(backup, { atMs: 1_000 })).rejects.toThrow('The oldest point is newer than 1970-01-01T00:00:01.000Z');
  await expect(restoredNotes(backupTo(folderUrl(newFolder())))).rejects.toThrow('There is no finished snapshot');
});

test('where the newest snapshot is damaged, the last whole point is reached from the one before', async () => {
  const target = newFolder();
  const backup = backupTo(folderUrl(target), { snapshotMs: 1 });
  const db = await openForTest({ backup });
  await waitForSnapshots(db);
  await db.run(insertNote('a'));
  await waitForSnapshots(db, 2);
  await db.close();
  const parts = filesIn(target).filter((name) => name.includes('/pages/'));
  const [newest = ''] = filesIn(target)
    .flatMap((name) => /\/snapshots\/.*-(\w+)$/.exec(name)?.[1] ?? [])
    .slice(-1);
  const damaged = parts.find((name) => name.includes(newest)) as string;
  truncateSync(join(target, damaged), 1000);
  await expect(restoredNotes(backup)).rejects.toThrow(damaged);
  const { ids, restored } = await restoredNotes(backup, { lastWhole: true });
  expect(ids).toEqual(['a']);
  expect(restored.faults).toHaveLength(1);
  for (const part of parts) truncateSync(join(target, part), 1000);
  await expect(restoredNotes(backup, { lastWhole: true })).rejects.toThrow('No whole point is left');
});

test('a clock that was ahead for a while hides nothing that came after', async () => {
  const { backup, target, segments } = await newBackup();
  const timeOf = (name: string) => Number(/-(\d{14})-/.exec(name)?.[1]);
  const [ahead = '', after = ''] = segments.slice(2, 4);
  renameSync(join(target, ahead), join(target, ahead.replace(/-\d{14}-/, '-99999999999999-')));
  expect((await restoredNotes(backup, { atMs: timeOf(after) })).ids).toEqual(['n0', 'n1', 'n2', 'n3']);
  expect((await restoredNotes(backup, { atMs: timeOf(after) - 1 })).ids).toEqual(['n0', 'n1']);
});
