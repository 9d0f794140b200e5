/** What is taken away is gone on every node when the answer is out, and also when no answer could be given. */
import { pino } from 'pino';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { Client, openApi } from '../../test/api.ts';
import { titleOf } from '../../test/matrix-paths.ts';
import { newTakeaways, type PlainRequest, type Takeaway, takesNothing } from '../../test/takeaways.ts';
import { createApp } from '../app.ts';
import { openPostgres } from '../db/postgres/engine.ts';
import { raw } from '../db/sql.ts';

const { api, close } = await openApi();
const onPostgres = inject('engine') === 'postgres';
/** A lease that no test outlives: what node B stops believing, it was told. */
const nodeB = onPostgres ? await openNodeB() : undefined;
afterAll(async () => {
  await nodeB?.close();
  await close();
});

async function openNodeB() {
  const { config } = api.app.context;
  const log = pino({ level: 'silent' });
  const db = await openPostgres({ url: config.databaseUrl as string, leaseMs: 3_600_000 });
  await db.join();
  const app = await createApp(config, db, log, api.clock);
  return {
    db,
    app,
    close: async () => {
      await app.close();
      await db.close();
    },
  };
}

const servers = { A: api.app.server, ...(nodeB && { B: nodeB.app.server }) };
type NodeName = keyof typeof servers;
const nodeNames = Object.keys(servers) as NodeName[];

function send(node: NodeName, { method, path, headers, body }: PlainRequest) {
  return new Client(servers[node] as typeof servers.A, headers).send(method, path, body);
}

async function look(node: NodeName, { probe, seen }: Takeaway): Promise<number> {
  const { status, body } = await send(node, probe);
  return seen(status, body);
}

/** Twice: the second answer comes from what the node remembers. */
async function remember(takeaway: Takeaway): Promise<void> {
  for (const node of [...nodeNames, ...nodeNames]) {
    expect(await look(node, takeaway), `${takeaway.route} on ${node}, before`).toBe(takeaway.before);
  }
}

const takeaways = await newTakeaways(api);

test('every route that a user alone may call and that changes something takes away nothing, or is tested here', () => {
  const routes = api.app.api.routes.filter(({ access, method }) => access.who === 'user' && method !== 'GET').map(titleOf);
  expect([...takeaways.map(({ route }) => route), ...takesNothing].sort()).toEqual(routes.sort());
});

describe.each(takeaways.map((takeaway) => [takeaway.route, takeaway] as const))('%s', (_route, takeaway) => {
  test('is in force on every node when it is answered', async () => {
    await remember(takeaway);
    const answer = await send('A', takeaway.act);
    expect(answer.status, answer.text).toBeLessThan(300);
    for (const node of nodeNames) expect(await look(node, takeaway), `on ${node}`).toBe(takeaway.after);
  });
});

describe('where the nodes can’t be told', () => {
  if (onPostgres) {
    test('the request fails, what it changed is in force, and so it is when the request is repeated', async () => {
      for (const takeaway of await newTakeaways(api)) {
        await remember(takeaway);
        await api.db.run(raw('alter table nodes rename to nodes_away'));
        const answer = await send('A', takeaway.act).finally(() => api.db.run(raw('alter table nodes_away rename to nodes')));
        expect(answer.status, `${takeaway.route}: ${answer.text}`).toBe(503);
        expect(await look('A', takeaway), `${takeaway.route} on A`).toBe(takeaway.after);
        const again = await send('A', takeaway.act);
        expect(again.status, `${takeaway.route}: ${again.text}`).toBe(takeaway.again);
        // An answer about the item, and not about the caller, means that all nodes know.
        if (takeaway.reachesItem) expect(await look('B', takeaway), `${takeaway.route} on B`).toBe(takeaway.after);
        await expect.poll(() => look('B', takeaway), { timeout: 15_000 }).toBe(takeaway.after);
        expect(nodeB?.db.trustsBroadcasts()).toBe(true);
      }
    }, 120_000);

    test('nor is it answered as done to who repeats it with its Idempotency-Key, until they are', async () => {
      const deletion = ({ route }: Takeaway) => route === 'DELETE /workspaces/:workspaceId/keys/:keyId';
      const [first, takeaway] = [...(await newTakeaways(api)), ...(await newTakeaways(api))].filter(deletion);
      if (!first || !takeaway) throw new Error('no access key is deleted');
      // From here on the nodes know of each other.
      expect((await send('A', first.act)).status).toBe(204);
      const act = { ...takeaway.act, headers: { ...takeaway.act.headers, 'idempotency-key': 'not-told' } };
      await remember(takeaway);
      await api.db.run(raw('alter table nodes rename to nodes_away'));
      try {
        for (const _ of [1, 2]) expect((await send('A', act)).status).toBe(503);
      } finally {
        await api.db.run(raw('alter table nodes_away rename to nodes'));
      }
      expect((await send('A', act)).status).toBe(204);
      expect(await look('B', takeaway)).toBe(takeaway.after);
    }, 120_000);
  } else {
    test('one listener that fails keeps the others from nothing', async () => {
      api.db.listen('callers', () => {
        throw new Error('on purpose');
      });
      for (const takeaway of await newTakeaways(api)) {
        await remember(takeaway);
        const answer = await send('A', takeaway.act);
        expect(answer.status, `${takeaway.route}: ${answer.text}`).toBeLessThan(300);
        expect(await look('A', takeaway), takeaway.route).toBe(takeaway.after);
      }
    });
  }
});

test('with an Idempotency-Key too, also when the answer is replayed', async () => {
  const [logout] = (await newTakeaways(api)).filter(({ route }) => route === 'POST /auth/logout');
  if (!logout) throw new Error('there is no logout');
  await remember(logout);
  const answer = await send('A', { ...logout.act, headers: { ...logout.act.headers, 'idempotency-key': 'once' } });
  expect(answer.status, answer.text).toBe(204);
  for (const node of nodeNames) expect(await look(node, logout), `on ${node}`).toBe(logout.after);
});

if (onPostgres)
  test('an agent that extracts memories from now on does so on every node', async () => {
    const agent = await api.newAgent();
    const place = { workspaceId: agent.workspace.id, agentId: agent.id };
    expect(await nodeB?.app.context.pipelines.isOn(place, api.db)).toBe(false);
    expect((await agent.runtime.put(agent.url, { configs: { memoryPipeline: true } })).status).toBe(200);
    expect(await nodeB?.app.context.pipelines.isOn(place, api.db)).toBe(true);
  });
