import { expect, test } from 'vitest';
import { noCounts } from './rules.ts';
import { StoredCounts } from './stored-counts.ts';

const limits = { messages: 10, documents: undefined, bytes: undefined, requestsPerMinute: undefined };
const one = { messages: 1 };
const fail = (error: unknown) => {
  throw error;
};

/** A table of so many messages, and counts of it that end when they are told to. */
function newScene() {
  const scene = { stored: 0, counts: 0, nowMs: 0, waits: [] as (() => void)[], isHeld: false };
  const clock = { nowMs: () => scene.nowMs, monotonicMs: () => scene.nowMs };
  const counts = new StoredCounts(
    clock,
    async () => {
      scene.counts++;
      const messages = scene.stored;
      if (scene.isHeld) await new Promise<void>((resolve) => scene.waits.push(resolve));
      return { ...noCounts, messages };
    },
    fail,
  );
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
  // Some of it was in flight while it was counted, so that it is counted once more.
  await expect(write()).rejects.toThrow('(10 used');
  expect(scene.counts).toBe(3);
});

test('what is carried out while a count is under way, and is in there already, refuses nobody', async () => {
  const { scene, counts, write } = newScene();
  scene.stored = 4;
  const reservation = await counts.reserve('w', limits, { messages: 2 });
  scene.stored += 2;
  scene.nowMs += 16_000;
  scene.isHeld = true;
  // Begins a count, which sees six.
  await write(0);
  reservation.keep();
  scene.isHeld = false;
  for (const end of scene.waits) end();
  await new Promise(setImmediate);
  await write(4);
  await expect(write()).rejects.toThrow('(10 used');
});

test('what makes something smaller frees nothing before it is counted', async () => {
  const { scene, counts, write } = newScene();
  await write(10);
  const smaller = await Promise.all([1, 2, 3].map(() => counts.reserve('w', limits, { messages: -5 })));
  await expect(write()).rejects.toThrow('(10 used');
  for (const reservation of smaller) reservation.keep();
  // All three replaced the same.
  scene.stored = 5;
  await write(5);
  await expect(write()).rejects.toThrow('(10 used');
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

test('whoever deletes and is refused in turn does not have a long count made each time', async () => {
  const { scene, counts, write } = newScene();
  scene.isHeld = true;
  const writing = write(10);
  await new Promise(setImmediate);
  scene.nowMs += 1_000;
  for (const end of scene.waits.splice(0)) end();
  scene.isHeld = false;
  await writing;
  for (let times = 0; times < 100; times++) {
    counts.noteFreed('w');
    await expect(write()).rejects.toThrow('limit of 10 messages');
    scene.nowMs += 100;
  }
  expect(scene.counts).toBe(1);
  scene.stored = 9;
  scene.nowMs += 40_000;
  await write();
  expect(scene.counts).toBe(2);
});

test('a failed count refuses nobody: the last one holds, and after a pause it is counted anew', async () => {
  const scene = { nowMs: 0, fails: false, asked: 0, failures: 0 };
  const clock = { nowMs: () => scene.nowMs, monotonicMs: () => scene.nowMs };
  const count = async () => {
    scene.asked++;
    if (scene.fails) throw new Error('the database is away');
    return { ...noCounts, messages: 8 };
  };
  const counts = new StoredCounts(clock, count, () => scene.failures++);
  (await counts.reserve('w', limits, one)).keep();
  scene.fails = true;
  scene.nowMs += 31_000;
  (await counts.reserve('w', limits, one)).keep();
  await expect(counts.reserve('w', limits, one)).rejects.toThrow('(10 used');
  expect(scene).toMatchObject({ asked: 2, failures: 1 });
  scene.nowMs += 10_001;
  scene.fails = false;
  (await counts.reserve('w', limits, one)).keep();
  expect(scene.asked).toBe(3);
});

test('a count that began before the limits changed is not kept', async () => {
  const { scene, counts, write } = newScene();
  scene.isHeld = true;
  const writing = write();
  await new Promise(setImmediate);
  counts.forget('w');
  scene.stored = 9;
  scene.isHeld = false;
  for (const end of scene.waits) end();
  await writing;
  expect(scene.counts).toBe(2);
  await expect(write()).rejects.toThrow('(10 used');
});
