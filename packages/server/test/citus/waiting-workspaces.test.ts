/** Which workspaces wait in a queue, found over all shards. */
import { expect } from 'vitest';
import { newId } from '../../src/db/ids.ts';
import { rows, sql } from '../../src/db/sql.ts';
import { FIRST_WORKSPACE_ID, waitingWorkspaces } from '../../src/db/waiting-workspaces.ts';
import { test } from '../api.ts';

const queue = { table: 'embedding_queue', condition: `q.kind = 'memory'` };

test('each is found once and in order, past a queue of any length, and only where something waits', async ({ api }) => {
  expect(api.db.isDistributed).toBe(true);
  const ids = Array.from({ length: 12 }, newId).sort();
  const now = new Date().toISOString();
  for (const [index, id] of ids.entries()) {
    const items = Array.from({ length: index % 4 === 1 ? 700 : 1 }, () => [id, index % 4 === 3 ? 'message' : 'memory', id, newId(), now]);
    await api.db.run(sql`insert into embedding_queue (workspace_id, kind, scope_id, item_id, created_at) values ${rows(items)}`);
  }
  const waiting = ids.filter((_, index) => index % 4 !== 3);
  expect(await waitingWorkspaces(api.db, queue, FIRST_WORKSPACE_ID, 100)).toEqual(waiting);
  expect(await waitingWorkspaces(api.db, queue, FIRST_WORKSPACE_ID, 4)).toEqual(waiting.slice(0, 4));
  expect(await waitingWorkspaces(api.db, queue, waiting[3] as string, 4)).toEqual(waiting.slice(4, 8));
  expect(await waitingWorkspaces(api.db, queue, waiting.at(-1) as string, 4)).toEqual([]);
});
