import { expect, test } from 'vitest';
import { noCounts } from './rules.ts';
import { StoredCounts } from './stored-counts.ts';

const limits = { messages: 10, documents: undefined, bytes: undefined, requestsPerMinute: undefined };
const one = { messages: 1 };

/** A table of so many messages, and counts of it that end when they are told to. */
function newScene() {
  const scene = { stored: 0, counts: 0, nowMs: 0, waits: [] as (() => void)[], isHeld: false };
  const clock = { nowMs: () => scene.nowMs, monotonicMs: () => scene.nowMs };
  const counts = new StoredCounts(clock, async () => {
    scene.counts++;
    const messages = scene.stored;
    if (scene.isHeld) await new Promise<void>((resolve) => scene.waits.push(resolve));
    return { ...noCounts, messages };
  });
  const write = async (amount = 1) => {
    const reservation = await counts.reserve('w', limits, { messages: amount });
    scene.stored += amount;
    reservation.keep();
  };
  return { scene, counts, write };
}

test('whoever is refused again and again is counted once a second, and at once where something was deleted', async () => {
  const { scene, counts, write } = newScene();
  await write(10);
  for (let times = 0; times < 100; times++) await expect(write()).rejects.toThrow('limit of 10 messages');
  expect(scene.counts).toBe(1);
  scene.nowMs += 1_001;
  for (let times = 0; times < 100; times++) await expect(write()).rejects.toThrow('limit of 10 messages');
  expect(scene.counts).toBe(2);
  scene.stored = 9;
  counts.noteFreed('w');
  await write();
  await expect(write()).rejects.toThrow('limit of 10 messages (10 used, 1 asked for)');
  expect(scene.counts).toBe(3);
});

test('what is written while a count is under way is not forgotten by it', async () => {
  const { scene, write } = newScene();
  await write(2);
  scene.nowMs += 16_000;
  scene.isHeld = true;
  // Begins a count that sees two, and goes on meanwhile.
  await write(1);
  scene.isHeld = false;
  expect(scene.waits).toHaveLength(1);
  await write(1);
  for (const end of scene.waits) end();
  await new Promise(setImmediate);
  await write(6);
  await expect(write()).rejects.toThrow('(10 used');
  expect(scene.counts).toBe(2);
});

test('what was reserved and not carried out is given back', async () => {
  const { counts, write } = newScene();
  const reservation = await counts.reserve('w', limits, { messages: 10 });
  await expect(write()).rejects.toThrow('(10 used');
  reservation.release();
  reservation.release();
  await write(10);
  await expect(write()).rejects.toThrow('(10 used');
});

test('a count that takes long is made less often', async () => {
  const { scene, write } = newScene();
  const slow = async () => {
    scene.isHeld = true;
    const writing = write();
    await new Promise(setImmediate);
    scene.nowMs += 1_000;
    for (const end of scene.waits.splice(0)) end();
    scene.isHeld = false;
    await writing;
  };
  await slow();
  scene.nowMs += 40_000;
  await write();
  expect(scene.counts).toBe(1);
  scene.nowMs += 15_000;
  await write();
  expect(scene.counts).toBe(2);
});

test('a failed count refuses the request and is tried with the next', async () => {
  let fails = true;
  const counts = new StoredCounts({ nowMs: () => 0, monotonicMs: () => 0 }, async () => {
    if (fails) throw new Error('the database is away');
    return noCounts;
  });
  await expect(counts.reserve('w', limits, one)).rejects.toThrow('away');
  fails = false;
  await counts.reserve('w', limits, one);
});
