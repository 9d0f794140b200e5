import { expect, test } from 'vitest';
import { newFolder } from '../sqlite/open-for-test.ts';
import { filesIn } from './backup-for-test.ts';
import { FolderTarget } from './folder-target.ts';
import { generationName, manifestName, partName, segmentFile, segmentsFolder } from './names.ts';
import { removeExpired } from './retention.ts';
import type { Target } from './target.ts';

const first = generationName(1, 'aaaaaaaa');
const second = generationName(2, 'bbbbbbbb');
const segment = (generation: string, number: number, atMs: number) =>
  `${segmentsFolder(generation)}${segmentFile({ segment: number, atMs, isWhole: true })}`;
const snapshot = (generation: string, after: number, atMs: number, id: string) => [
  manifestName(generation, { after, atMs, id }),
  partName(generation, after, id, 1),
  partName(generation, after, id, 2),
];

/** As a service does that always ran. */
const removeBefore = (target: Target, retainedFromMs: number) =>
  removeExpired(target, { nowMs: 1e13, retentionMs: 1e13 - retainedFromMs, snapshotMs: Number.POSITIVE_INFINITY });

/** Two generations, a snapshot every 100 and a segment every 10 units of time. */
async function filled() {
  const folder = newFolder();
  const target = new FolderTarget(folder);
  const names = [
    ...snapshot(first, 0, 100, 'a0'),
    ...snapshot(first, 10, 200, 'a1'),
    ...Array.from({ length: 15 }, (_, index) => segment(first, index + 1, 100 + 10 * (index + 1))),
    ...snapshot(second, 0, 300, 'b0'),
    ...snapshot(second, 10, 400, 'b1'),
    ...Array.from({ length: 15 }, (_, index) => segment(second, index + 1, 300 + 10 * (index + 1))),
    'owner.json',
  ];
  for (const name of names) await target.put(name, Buffer.from('x'));
  return { folder, target, names: names.sort() };
}

test('nothing goes while the retention reaches back to the first snapshot, or before it', async () => {
  const { folder, target, names } = await filled();
  for (const retainedFromMs of [-1000, 99, 100, 199]) expect(await removeBefore(target, retainedFromMs)).toBe(0);
  expect(filesIn(folder)).toEqual(names);
});

test('what comes before the snapshot that the oldest point needs goes, and nothing else', async () => {
  const { folder, target, names } = await filled();
  await removeBefore(target, 250);
  const isGone = (name: string) => name.includes('a0') || (name.startsWith(segmentsFolder(first)) && Number(name.slice(-29, -21)) <= 200);
  expect(filesIn(folder)).toEqual(names.filter((name) => !(name.includes('-a0') || olderThan(name, first, 10))));
  expect(names.some(isGone)).toBe(true);
  // The point at 299 is still that of the first generation.
  await removeBefore(target, 299);
  expect(filesIn(folder).some((name) => name.startsWith(first))).toBe(true);
  await removeBefore(target, 300);
  expect(filesIn(folder)).toEqual(names.filter((name) => !name.startsWith(first)));
});

function olderThan(name: string, generation: string, after: number): boolean {
  return name.startsWith(segmentsFolder(generation)) && Number(name.slice(segmentsFolder(generation).length).split('-')[0]) <= after;
}

test('the newest snapshot stays, however far ahead the clock is', async () => {
  const { folder, target, names } = await filled();
  await removeBefore(target, 1e12);
  const kept = names.filter(
    (name) => name === 'owner.json' || (name.startsWith(second) && !name.includes('-b0') && !olderThan(name, second, 10)),
  );
  expect(filesIn(folder)).toEqual(kept);
});

test('a clock that has jumped ahead, or a service that was off, takes one interval of the history, in later runs too', async () => {
  const { folder, target, names } = await filled();
  const laterMs = 1e12;
  const retention = { retentionMs: 400, snapshotMs: 100 };
  expect(await removeExpired(target, { nowMs: 499, ...retention })).toBe(0);
  await removeExpired(target, { nowMs: laterMs, ...retention });
  expect(filesIn(folder)).toEqual(names);
  // What was made by that clock is as far away as it says, and no more counts.
  const jumped = snapshot(second, 15, laterMs, 'b2');
  for (const name of jumped) await target.put(name, Buffer.from('x'));
  await removeExpired(target, { nowMs: laterMs + 99, ...retention });
  expect(filesIn(folder)).toEqual([...names, ...jumped].sort());
  await removeExpired(target, { nowMs: laterMs + 100, ...retention });
  expect(filesIn(folder)).toEqual([...names, ...jumped].filter((name) => !(name.includes('-a0') || olderThan(name, first, 10))).sort());
  // And once it is put right.
  expect(await removeExpired(target, { nowMs: 600, ...retention })).toBe(0);
});

test('parts of a snapshot that was never finished go', async () => {
  const { folder, target, names } = await filled();
  await target.put(partName(second, 12, 'c0', 1), Buffer.from('x'));
  expect(await removeBefore(target, 0)).toBe(1);
  expect(filesIn(folder)).toEqual(names);
});
