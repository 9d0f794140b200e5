/** What goes to a target and what is found there, without a database: a file of pages and a chain that the tests make. */
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newFolder } from '../sqlite/open-for-test.ts';
import { filesIn } from './backup-for-test.ts';
import type { Chain } from './chain.ts';
import { FolderTarget } from './folder-target.ts';
import { generationName, manifestName, partName, segmentFile, segmentsFolder } from './names.ts';
import { encodeObject } from './objects.ts';
import { newOwner, requireOwner, TargetTaken, writeOwner } from './ownership.ts';
import type { BackupEvent } from './protocol.ts';
import { RemoteCopy, type RemoteCopyOptions } from './remote-copy.ts';
import { removeExpired } from './retention.ts';
import { PART_BYTES, SnapshotProgress, storeSnapshot } from './snapshots.ts';
import { makeSpool, SPOOL_FOLDER, spooledSegments, spoolSegment } from './spool.ts';
import type { Target } from './target.ts';
import { WatchedTarget } from './watched-target.ts';

const GENERATION = generationName(1, 'aaaaaaaa');
const HOUR_MS = 3_600_000;
const chainAt = (segment: number): Chain => ({ generation: GENERATION, segment, sha256: '', position: undefined, isCheckpointed: true });
const put = (target: Target, name: string) => target.put(name, Buffer.from('x'));

function changed(target: Target, changes: Partial<Target>): Target {
  return {
    put: (name, bytes) => target.put(name, bytes),
    get: (name) => target.get(name),
    list: (folder, after) => target.list(folder, after),
    listFolders: () => target.listFolders(),
    remove: (names) => target.remove(names),
    ...changes,
  };
}

function openPages(sizeBytes: number): number {
  const file = join(newFolder(), 'pages');
  writeFileSync(file, Buffer.alloc(sizeBytes));
  const database = openSync(file, 'r');
  onTestFinished(() => closeSync(database));
  return database;
}

function startCopy(target: Target, options: Partial<RemoteCopyOptions> = {}) {
  const dataDir = newFolder();
  const spoolFolder = join(dataDir, SPOOL_FOLDER);
  makeSpool(spoolFolder);
  const reasons: string[] = [];
  const events: BackupEvent[] = [];
  const copy = new RemoteCopy({
    target,
    url: 'file:///target',
    dataDir,
    database: 0,
    spoolFolder,
    snapshotMs: HOUR_MS,
    retentionMs: HOUR_MS,
    chain: () => undefined,
    abandon: (reason) => reasons.push(reason),
    waitingBytes: () => 0,
    removed: () => {},
    note: (event) => events.push(event),
    ...options,
  });
  onTestFinished(() => copy.finish(1));
  return { copy, spoolFolder, reasons, events };
}

test('a data folder that was put back behind the newest snapshot does not go on', async () => {
  const target = new FolderTarget(newFolder());
  await put(target, manifestName(GENERATION, { after: 5, atMs: 1000, id: 'a0' }));
  const { copy, reasons } = startCopy(target, { chain: () => chainAt(2) });
  copy.start();
  await expect.poll(() => reasons).toEqual(['the target has segments that this data folder does not know']);
});

test('what is at the target under another name than what waits was not sent from here', async () => {
  const target = new FolderTarget(newFolder());
  const segment = (atMs: number) => ({ segment: 1, atMs, isWhole: true });
  await put(target, `${segmentsFolder(GENERATION)}${segmentFile(segment(1000))}`);
  for (const [atMs, expected] of [
    [1000, undefined],
    [1001, 'the target has segments that this data folder does not know'],
  ] as const) {
    const { copy, spoolFolder, reasons } = startCopy(target, { chain: () => chainAt(1) });
    spoolSegment(spoolFolder, GENERATION, segment(atMs), encodeObject({}, Buffer.alloc(0)).bytes, { sync: false });
    await writeOwner(target, { ...newOwner(spoolFolder, ''), run: '' });
    copy.start();
    await expect.poll(() => spooledSegments(spoolFolder)).toEqual([]);
    expect(reasons).toEqual(expected === undefined ? [] : [expected]);
    await copy.finish(1000);
  }
});

test('a snapshot goes on after a part that could not be stored', async () => {
  const folder = newFolder();
  const stored = new FolderTarget(folder);
  const names: string[] = [];
  const target = changed(stored, {
    put: async (name, bytes) => {
      names.push(name);
      if (names.length === 2) throw new Error('away');
      await stored.put(name, bytes);
    },
  });
  const progress = new SnapshotProgress(chainAt(0));
  const source = { database: openPages(2 * PART_BYTES + 10), pause: async () => {}, cutAll: async () => ({ segment: 0, atMs: 1 }) };
  await expect(storeSnapshot(target, progress, source)).rejects.toThrow('away');
  const { id, parts, sizeBytes } = await storeSnapshot(target, progress, source);
  expect({ parts: parts.length, sizeBytes }).toEqual({ parts: 3, sizeBytes: 2 * PART_BYTES + 10 });
  const part = (number: number) => partName(GENERATION, 0, id, number);
  expect(names.slice(0, -1)).toEqual([part(1), part(2), part(2), part(3)]);
  expect(filesIn(folder)).toHaveLength(4);
});

test('nothing counts as safe before a snapshot of its generation is finished', async () => {
  let isAway = true;
  const stored = new FolderTarget(newFolder());
  const target = changed(stored, {
    put: async (name, bytes) => {
      if (isAway && name.includes('/pages/')) throw new Error('away');
      await stored.put(name, bytes);
    },
  });
  const { copy } = startCopy(target, { chain: () => chainAt(0), database: openPages(10) });
  const began = performance.now();
  copy.start();
  copy.useGeneration(chainAt(0));
  const timer = setInterval(() => copy.noticeCut(Date.now()), 10);
  onTestFinished(() => clearInterval(timer));
  // Everything that was cut is sent before each try.
  await expect.poll(() => copy.gauges().backup_failures_total).toBeGreaterThan(1);
  const age = () => copy.gauges().backup_age_seconds as number;
  expect(age()).toBeGreaterThan((performance.now() - began) / 1000 - 1e-3);
  isAway = false;
  await expect.poll(() => copy.gauges().backup_snapshots_total).toBe(1);
  await expect.poll(() => age() < (performance.now() - began) / 1000 - 0.5).toBe(true);
  expect(copy.gauges().backup_snapshot_age_seconds).toBeLessThan(3600);
});

test('deletions make room for what is to be sent', async () => {
  const target = new FolderTarget(newFolder());
  const old = generationName(1, 'bbbbbbbb');
  for (let number = 1; number <= 250; number++)
    await put(target, `${segmentsFolder(old)}${segmentFile({ segment: number, atMs: 1, isWhole: true })}`);
  await put(target, manifestName(generationName(2, 'cccccccc'), { after: 0, atMs: 10, id: 'c0' }));
  let pauses = 0;
  expect(await removeExpired(target, { nowMs: 30, retentionMs: 10, snapshotMs: 100 }, async () => void pauses++)).toBe(250);
  expect(pauses).toBe(2);
});

test('an earlier run of the same folder in the target is a stale answer, a later one is not', async () => {
  const target = new FolderTarget(newFolder());
  const spoolFolder = newFolder();
  const me = newOwner(spoolFolder, '');
  await writeOwner(target, { ...me, run: 'earlier', since: '2020-01-01T00:00:00.000Z' });
  await expect(requireOwner(target, me)).rejects.toThrow('an earlier run on this data folder');
  await writeOwner(target, { ...me, run: 'later', since: '2999-01-01T00:00:00.000Z' });
  await expect(requireOwner(target, me)).rejects.toThrow(TargetTaken);
});

test('a target that does not answer for a minute is said to fail', async () => {
  const answer = Promise.withResolvers<undefined>();
  const target = changed(new FolderTarget(newFolder()), { get: () => answer.promise });
  const events: BackupEvent[] = [];
  const watched = new WatchedTarget(target, (event) => events.push(event));
  const asked = watched.get('x');
  expect(watched.isSilent()).toBe(false);
  const startMs = performance.now();
  const later = vi.spyOn(performance, 'now').mockReturnValue(startMs + 61_000);
  onTestFinished(() => later.mockRestore());
  expect([watched.isSilent(), watched.isSilent(), events.length]).toEqual([true, true, 1]);
  answer.resolve(undefined);
  await asked;
  expect(watched.isSilent()).toBe(false);
});
