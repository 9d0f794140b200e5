/** Vectors that are stored together: each stands for itself. */
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { made, type TestApi, type TestSession } from '../../test/api.ts';
import { openWithEndpoint, search } from '../../test/embeddings-endpoint.ts';
import { sql } from '../db/sql.ts';
import { memoryItems } from '../memories/search.ts';
import { messageItems } from '../messages/search.ts';
import { claimItems } from './embedding-claims.ts';
import { settleQueued } from './settling.ts';

const sources = [messageItems, memoryItems];
const MODEL = 'narrow';

async function write(session: TestSession, contents: readonly string[]): Promise<string[]> {
  const messages = contents.map((content) => ({ role: 'user', content }));
  const { messages: written } = made(await session.runtime.post(`${session.url}/messages/batch`, { messages }));
  return written.map(({ id }: { id: string }) => id);
}

const claimAll = (api: TestApi, workspaceId: string) => claimItems(api.db, { workspaceId, most: 100, nowMs: api.clock.nowMs(), sources });

const storedIn = (api: TestApi, table: 'vectors' | 'refused_texts' | 'embedding_queue', workspaceId: string) =>
  api.db
    .query(
      table === 'vectors'
        ? sql<{ id: string }>`select item_id as id from vectors where workspace_id = ${workspaceId} order by item_id`
        : table === 'refused_texts'
          ? sql<{ id: string }>`select item_id as id from refused_texts where workspace_id = ${workspaceId} order by item_id`
          : sql<{ id: string }>`select item_id as id from embedding_queue where workspace_id = ${workspaceId} order by item_id`,
    )
    .then((found) => found.map(({ id }) => id));

test('texts of several sessions and kinds are claimed at once, each with its own', async () => {
  const { api } = await openWithEndpoint();
  const agent = await api.newAgent();
  const [one, other] = [await api.newSession(agent), await api.newSession(agent)];
  const ids = [...(await write(one, ['The kettle.', 'The samovar.'])), ...(await write(other, ['The teapot.']))];
  const memory = made(await one.runtime.post(`${one.url}/memories`, { kind: 'fact', content: 'Owns a cup.' }));
  await api.app.outbox.distribute();
  const claimed = await claimAll(api, agent.workspace.id);
  expect(new Map(claimed.map(({ itemId, text }) => [itemId, text]))).toEqual(
    new Map([...ids.map((id, index) => [id, ['The kettle.', 'The samovar.', 'The teapot.'][index]] as const), [memory.id, 'Owns a cup.']]),
  );
});

test('of a group, one was edited, one deleted and one refused meanwhile: the others are stored, and each of these is as it should be', async () => {
  const { api } = await openWithEndpoint();
  const session = await api.newSession();
  const workspaceId = session.agent.workspace.id;
  const [first, edited, deleted, refused, last] = (await write(session, ['One.', 'Two.', 'Three.', 'Four.', 'Five.'])) as [
    string,
    string,
    string,
    string,
    string,
  ];
  await api.app.outbox.distribute();
  const claimed = await claimAll(api, workspaceId);
  expect(claimed.map(({ text }) => text)).toEqual(['One.', 'Two.', 'Three.', 'Four.', 'Five.']);
  api.clock.advance(1_000);
  expect((await session.runtime.put(`${session.url}/messages/${edited}`, { content: 'Twenty.' })).status).toBe(200);
  expect((await session.runtime.delete(`${session.url}/messages/${deleted}`)).status).toBe(204);
  const settled = {
    workspaceId,
    model: MODEL,
    vectors: claimed.filter(({ itemId }) => itemId !== refused).map((item) => ({ item, vector: new Uint8Array(36) })),
    refused: claimed.filter(({ itemId }) => itemId === refused).map((item) => ({ item, reason: 'Too long.' })),
    gone: [],
  };
  expect(await settleQueued(api.db, settled, api.clock.nowMs())).toEqual(new Set([first, refused, last]));
  expect(await storedIn(api, 'vectors', workspaceId)).toEqual([first, last].sort());
  expect(await storedIn(api, 'refused_texts', workspaceId)).toEqual([refused]);
  expect(await storedIn(api, 'embedding_queue', workspaceId)).toEqual([edited]);
  // Once more, as another node would that took longer: it comes too late.
  expect(await settleQueued(api.db, settled, api.clock.nowMs())).toEqual(new Set());
  await api.app.indexing.drain();
  expect((await storedIn(api, 'vectors', workspaceId)).filter((id) => id === edited)).toEqual([edited]);
  expect(await storedIn(api, 'embedding_queue', workspaceId)).toEqual([]);
});

test('what waits for a vector and is no more leaves the queue without one', async () => {
  const { endpoint, api } = await openWithEndpoint();
  const session = await api.newSession();
  const workspaceId = session.agent.workspace.id;
  const [kept, gone] = (await write(session, ['One.', 'Two.'])) as [string, string];
  await api.app.outbox.distribute();
  await api.db.run(sql`delete from messages where workspace_id = ${workspaceId} and session_id = ${session.id} and id = ${gone}`);
  await api.app.indexing.drain();
  expect(endpoint.seen).toEqual(['One.']);
  expect(await storedIn(api, 'vectors', workspaceId)).toEqual([kept]);
  expect(await storedIn(api, 'embedding_queue', workspaceId)).toEqual([]);
});

if (inject('engine') === 'postgres' && !inject('postgres')?.workerUrls)
  test.for(['edited', 'deleted'] as const)(
    'a message that is %s while its vector is being stored keeps none of its old text',
    async (change) => {
      const { api } = await openWithEndpoint();
      const session = await api.newSession();
      const workspaceId = session.agent.workspace.id;
      const [id] = await write(session, ['The kettle whistles.']);
      await api.app.outbox.distribute();
      // Another node, in the middle of storing.
      const node = new pg.Client({ connectionString: api.app.context.config.databaseUrl });
      await node.connect();
      onTestFinished(() => node.end());
      await node.query('begin');
      await node.query('delete from embedding_queue where workspace_id = $1', [workspaceId]);
      const path = `${session.url}/messages/${id}`;
      const changing = change === 'edited' ? session.runtime.put(path, { content: 'A samovar hisses.' }) : session.runtime.delete(path);
      const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await expect.poll(async () => (await node.query(waiting)).rowCount).toBe(1);
      await node.query(
        `insert into vectors (workspace_id, kind, scope_id, item_id, model, vector) values ($1, 'message', $2, $3, 'old', '\\x00')`,
        [workspaceId, session.id, id],
      );
      await node.query('commit');
      expect((await changing).status).toBe(change === 'edited' ? 200 : 204);
      expect(await storedIn(api, 'vectors', workspaceId)).toEqual([]);
      expect(await storedIn(api, 'embedding_queue', workspaceId)).toEqual(change === 'edited' ? [id] : []);
      if (change === 'edited')
        expect((await search(session.runtime, `${session.url}/messages`, 'samovar'))[0].explain.vector).toBeGreaterThan(0);
    },
  );
