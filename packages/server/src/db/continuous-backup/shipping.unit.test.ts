/** Ends half-way: between two segments, between a segment and the note of it, in the writer. */
import { copyFileSync, mkdirSync, rmdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newFolder } from '../sqlite/open-for-test.ts';
import { backupTo, folderUrl } from './backup-for-test.ts';
import { type Chain, loadState } from './chain.ts';
import { beginGeneration, checkpoint, checkpointCut } from './checkpoints.ts';
import { type CutPlace, cutSegments, type SegmentHeader } from './cutting.ts';
import { generationName, segmentFile } from './names.ts';
import { decodeObject } from './objects.ts';
import { Shipper } from './shipping.ts';
import { makeSpool, readSpooled, SPOOL_FOLDER, spooledSegments, syncSpool } from './spool.ts';

const GENERATION = generationName(1, 'aaaaaaaa');

/** A database that a generation has begun with, and a target that can't be written to: whatever is cut waits. */
function begin(pageSize = 4096) {
  const [dataDir, folder] = [newFolder(), newFolder()];
  const databaseFile = join(dataDir, 'commonplace.db');
  const db = new DatabaseSync(databaseFile);
  onTestFinished(() => db.close());
  db.exec(`pragma page_size = ${pageSize}; pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table notes (body)`);
  writeFileSync(join(folder, 'file'), '');
  const options = backupTo(folderUrl(join(folder, 'file', 'target')));
  const place: CutPlace = { databaseFile, spoolFolder: join(dataDir, SPOOL_FOLDER), target: options.url };
  makeSpool(place.spoolFolder);
  const { chain } = beginGeneration(db, place, GENERATION);
  const state = join(place.spoolFolder, 'state.json');
  const newShipper = () => {
    const shipper = new Shipper({ options, dataDir, databaseFile, database: 0 }, place.spoolFolder);
    onTestFinished(async () => void (await shipper.finish(1)));
    return shipper;
  };
  const write = (bytes = 10) => db.exec(`insert into notes values (zeroblob(${bytes}))`);
  const numbers = () => spooledSegments(place.spoolFolder).map(({ segment }) => segment);
  return { db, place, chain: chain as Chain, state, newShipper, write, numbers };
}

let clockMs = 1_000_000;
function cut(place: CutPlace, chain: Chain): Chain {
  const result = cutSegments(place, chain, { now: () => clockMs++, sync: false });
  if (result.kind === 'gap') throw new Error('a gap');
  return result.chain;
}

test('a segment that was cut and not noted before a kill is cut again, and is there once', () => {
  const { place, chain, state, newShipper, write, numbers } = begin();
  write();
  const first = cut(place, chain);
  copyFileSync(state, `${state}.before`);
  write();
  cut(place, first);
  copyFileSync(`${state}.before`, state);
  write();
  expect(numbers()).toEqual([1, 2]);
  const shipper = newShipper();
  expect(numbers()).toEqual([1]);
  expect(shipper.cut(true).chain?.segment).toBe(2);
  expect(numbers()).toEqual([1, 2]);
});

test('a cut that fails half-way goes on after what it had cut', () => {
  const { place, newShipper, write, numbers } = begin();
  const shipper = newShipper();
  // More than two segments, of which the second finds a folder in its way.
  write(20_000_000);
  const clock = vi.spyOn(Date, 'now').mockReturnValue(clockMs++);
  onTestFinished(() => clock.mockRestore());
  const file = segmentFile({ segment: 2, atMs: Date.now(), isWhole: false });
  const inTheWay = join(place.spoolFolder, 'segments', `${GENERATION}.${file}.tmp`);
  mkdirSync(inTheWay);
  expect(() => shipper.cut(true)).toThrow('EISDIR');
  expect(numbers()).toEqual([1]);
  rmdirSync(inTheWay);
  const { segment } = shipper.cut(true).chain as Chain;
  expect(numbers()).toEqual(Array.from({ length: segment }, (_, index) => index + 1));
  expect(segment).toBeGreaterThan(2);
});

test('what the writer cut before its checkpoint failed is gone on from, and is there once', () => {
  const { place, newShipper, write, numbers } = begin();
  const shipper = newShipper();
  write(20_000_000);
  const { chain, task } = shipper.cut(true);
  expect(task?.kind).toBe('cut');
  write();
  const ahead = cut(place, chain as Chain);
  write();
  expect(shipper.cut(true).chain?.segment).toBe(ahead.segment + 1);
  expect(numbers()).toEqual(Array.from({ length: ahead.segment + 1 }, (_, index) => index + 1));
});

test('what was given up while the writer had a task stays given up', () => {
  const { db, chain: begun, place, newShipper, write, state } = begin();
  const shipper = newShipper();
  write(20_000_000);
  const { chain, task } = shipper.cut(true);
  if (task?.kind !== 'cut' || !chain) throw new Error('no task');
  copyFileSync(state, `${state}.of-writer`);
  // Somebody else makes the log start over.
  write();
  checkpoint(db);
  write();
  expect(shipper.cut(true).chain).toBeUndefined();
  copyFileSync(`${state}.of-writer`, state);
  expect(loadState(place.spoolFolder)?.chain?.generation).toBe(begun.generation);
  shipper.adopt(task, { chain, isComplete: true });
  expect(loadState(place.spoolFolder)?.chain).toBeUndefined();
});

test('a log that grows is cut before the interval is over, and one that does not is left', () => {
  const { newShipper, write, numbers } = begin();
  const shipper = newShipper();
  write();
  expect(shipper.cut(false).task).toBeUndefined();
  expect(numbers()).toEqual([]);
  write(20_000_000);
  expect(shipper.cut(false).task?.kind).toBe('cut');
  expect(numbers()).toEqual([1, 2, 3]);
});

test('what SQLite folds by itself after a checkpoint is noticed, though the log starts over only once', () => {
  const { db, place, chain, write } = begin();
  write();
  const folded = checkpointCut(db, place, chain, () => clockMs++).chain as Chain;
  expect(folded.isCheckpointed).toBe(true);
  write();
  const next = cut(place, folded);
  expect(next.segment).toBe(folded.segment + 1);
  const reader = new DatabaseSync(place.databaseFile, { readOnly: true });
  reader.exec('begin; select * from notes');
  const again = checkpointCut(db, place, next, () => clockMs++).chain as Chain;
  expect(again.isCheckpointed).toBe(true);
  // The reader keeps the log from starting over: what is added goes behind the position, and is folded unseen.
  write(100_000);
  reader.close();
  checkpoint(db);
  write();
  expect(cutSegments(place, again, { now: () => clockMs++, sync: false })).toEqual({ kind: 'gap' });
});

test('the time of a segment is one at which nothing more was committed, though others write meanwhile', () => {
  const { place, chain, write, numbers } = begin();
  let looks = 0;
  const now = () => {
    if (looks++ < 4) write();
    return looks;
  };
  const result = cutSegments(place, chain, { now, sync: false });
  // Five times were taken; the last write came with the fourth.
  expect(result).toMatchObject({ kind: 'cut', atMs: 5 });
  expect(numbers()).toEqual([1]);
  const cutChain = (result as { readonly chain: Chain }).chain;
  expect(cutSegments(place, cutChain, { now: () => 6, sync: false })).toMatchObject({ chain: cutChain, atMs: 6, spooledBytes: 0 });
});

test('a writer that never rests is cut all the same, at a time after all that is cut', () => {
  const { place, chain, write, numbers } = begin();
  let ticks = 0;
  const now = () => {
    write();
    return ++ticks;
  };
  const result = cutSegments(place, chain, { now, sync: false });
  expect(result).toMatchObject({ kind: 'cut', atMs: ticks });
  expect(numbers()).toEqual([1]);
});

test('frames that others take the place of while they are read are not cut', () => {
  const { db, place, chain, write, numbers } = begin();
  write();
  const startedOver: CutPlace = {
    ...place,
    // Asked for after the log was looked through, and before its frames are read.
    get spoolFolder() {
      checkpoint(db);
      write();
      return place.spoolFolder;
    },
  };
  expect(cutSegments(startedOver, chain, { now: () => clockMs++, sync: false })).toEqual({ kind: 'gap' });
  expect(numbers()).toEqual([]);
});

test('what waits is counted along, and synced once', () => {
  const { place, chain, newShipper, write } = begin();
  const segments = () => spooledSegments(place.spoolFolder);
  const bytes = () => segments().reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  write();
  const first = cut(place, chain);
  const shipper = newShipper();
  write(20_000_000);
  const { gauges, task, chain: ahead } = shipper.cut(true);
  expect(gauges.backup_waiting_bytes).toBe(bytes());
  if (task?.kind !== 'cut' || !ahead) throw new Error('no task');
  shipper.adopt(task, { chain: ahead, isComplete: false, spooledBytes: 7 });
  expect(shipper.cut(true).gauges.backup_waiting_bytes).toBe(bytes() + 7);
  const synced = syncSpool(place.spoolFolder, '');
  expect(synced).toContain(`.${String(ahead.segment).padStart(12, '0')}-`);
  // One that could not be synced any more.
  const [oldest] = segments();
  unlinkSync(oldest?.path as string);
  symlinkSync('/nowhere', oldest?.path as string);
  expect(syncSpool(place.spoolFolder, synced)).toBe(synced);
  expect(() => syncSpool(place.spoolFolder, '')).toThrow('ENOENT');
  unlinkSync(oldest?.path as string);
  expect(first.segment).toBe(1);
});

test('segments of large pages stay within what a restore reads', () => {
  const { place, chain, write } = begin(32_768);
  write(80_000_000);
  cut(place, chain);
  for (const spooled of spooledSegments(place.spoolFolder)) {
    const { payload } = decodeObject<SegmentHeader>(spooled.path, readSpooled(spooled));
    expect(payload.length).toBeLessThanOrEqual(8 * 1024 * 1024);
  }
});
