import { expect } from 'vitest';
import { test } from '../../test/api.ts';
import { newId } from '../db/ids.ts';
import { claim, enqueue } from './queue.ts';

test('smoke', async ({ api: { db } }) => {
  await db.batch([
    enqueue({ kind: 'a', workspaceId: newId(), payload: { x: 1 }, key: 'k' }, 1000),
    enqueue({ kind: 'a', workspaceId: null, payload: {} }, 1000),
  ]);
  const jobs = await claim(db, {
    kinds: [
      { kind: 'a', leaseMs: 1000 },
      { kind: 'b', leaseMs: 1000 },
    ],
    owner: newId(),
    limit: 10,
    nowMs: 2000,
  });
  console.log(jobs);
  expect(jobs.length).toBe(2);
});
