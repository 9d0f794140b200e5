/** Whose limits hold, on which nodes, what they cost, and requests a minute. */
import { pino } from 'pino';
import { describe, expect, inject, onTestFinished } from 'vitest';
import { Client, made, openApi, TestApi, type TestSession, test } from '../../test/api.ts';
import { bodyExamples, formOf, newFurnishedScene } from '../../test/matrix-items.ts';
import { pathOf, titleOf } from '../../test/matrix-paths.ts';
import { letCountsRest, limitWorkspace, readUsage } from '../../test/quotas.ts';
import { createApp } from '../app.ts';
import type { Clock } from '../clock.ts';
import { readConfig } from '../config.ts';
import type { Database } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { mayStore } from '../http/route.ts';
import { RequestRates } from './request-rates.ts';
import { NO_LIMIT } from './rules.ts';
import { clearOwnLimits, dropOldRequestTotals, setOwnLimits } from './store.ts';

const hello = { role: 'user', content: 'Hello' };
const say = ({ runtime, url }: TestSession, times = 1) => runtime.post(`${url}/messages/batch`, { messages: Array(times).fill(hello) });

/** Another node of the same service, with a memory of its own. */
async function openNode(api: TestApi, { db = api.db, clock = api.clock }: { db?: Database; clock?: Clock } = {}): Promise<TestApi> {
  const app = await createApp(readConfig({}), db, pino({ level: 'silent' }), clock);
  onTestFinished(() => app.close());
  return new TestApi(app, api.db, api.clock);
}

describe('a workspace', () => {
  test('has the limits of the service, or its own, which may be none; they come and go while the service runs', async () => {
    const { api, close } = await openApi({ COMMONPLACE_QUOTA_MESSAGES: '3', COMMONPLACE_QUOTA_DOCUMENTS: 'off' });
    onTestFinished(close);
    const [plain, larger, free] = [await api.newSession(), await api.newSession(), await api.newSession()];
    await limitWorkspace(api, larger.agent.workspace.id, { messages: 5 });
    await limitWorkspace(api, free.agent.workspace.id, { messages: NO_LIMIT });
    for (const [session, most] of [
      [plain, 3],
      [larger, 5],
    ] as const) {
      expect((await say(session, most + 1)).status).toBe(403);
      expect((await say(session, most)).status).toBe(201);
      expect((await readUsage(api, session.agent.workspace)).messages).toEqual({ used: most, limit: most });
    }
    expect((await say(free, 10)).status).toBe(201);
    expect((await readUsage(api, free.agent.workspace)).messages).toEqual({ used: 10, limit: null });
    await limitWorkspace(api, plain.agent.workspace.id, { messages: 4 });
    expect((await say(plain)).status).toBe(201);
    await api.db.batch(clearOwnLimits(larger.agent.workspace.id));
    await api.app.context.quotas.settled();
    expect((await say(larger)).body.errorMessage).toContain('limit of 3 messages (5 used, 1 asked for)');
    const metrics = (await api.app.server.inject({ url: '/metrics' })).body;
    expect(metrics).toContain('commonplace_http_refused_total{reason="quota_messages"} 3');
  });

  test('that is deleted leaves no limits behind', async ({ api }) => {
    const { id, url, owner } = await api.newWorkspace();
    await limitWorkspace(api, id, { messages: 1 });
    await owner.delete(url);
    expect(await api.countRows('workspace_quotas', id)).toBe(0);
    await expect(api.db.batch(setOwnLimits(id, { messages: 1 }, api.clock.nowMs()))).rejects.toThrow('Workspace not found');
  });
});

test('without limits a write takes no statement more, and with room left neither', async ({ api }) => {
  const statements: string[] = [];
  const noting = new Proxy(api.db as Database, {
    get: (db, name) => {
      const member = Reflect.get(db, name);
      if (typeof member !== 'function') return member;
      if (!['query', 'one', 'maybeOne', 'run', 'batch', 'transaction'].includes(String(name))) return member.bind(db);
      return (...args: unknown[]) => {
        statements.push(String(name));
        return member.apply(db, args);
      };
    },
  });
  const node = await openNode(api, { db: noting });
  const session = await api.newSession();
  const runtime = new Client(node.app.server, session.runtime.headers);
  const write = async () => {
    statements.length = 0;
    made(await runtime.post(`${session.url}/messages`, hello));
    return [...statements];
  };
  await write();
  expect(await write()).toEqual(['batch']);
  await limitWorkspace(node, session.agent.workspace.id, { messages: 1_000, bytes: 1_000_000, requestsPerMinute: 1_000 });
  expect(await write()).toEqual(['query', 'batch']);
  expect(await write()).toEqual(['batch']);
  // Nor after the node has joined the others anew, where the limits are what they were.
  await node.app.context.quotas.load();
  expect(await write()).toEqual(['batch']);
});

describe('two nodes', () => {
  test('hear of a limit at once, and of what the other stored with the next count', async ({ api }) => {
    const node = await openNode(api);
    const session = await api.newSession();
    const { id } = session.agent.workspace;
    const there: TestSession = { ...session, runtime: new Client(node.app.server, session.runtime.headers) };
    await limitWorkspace(api, id, { messages: 10 });
    await node.app.context.quotas.settled();
    expect((await say(session, 2)).status).toBe(201);
    expect((await say(there, 2)).status).toBe(201);
    expect((await say(session, 6)).status).toBe(201);
    // It knew of four, but not for longer than half a minute.
    api.clock.advance(31_000);
    expect((await say(there)).status).toBe(403);
    await session.runtime.delete(session.url);
    letCountsRest(api);
    const next = await api.newSession(session.agent);
    expect((await say({ ...next, runtime: there.runtime }, 10)).status).toBe(201);
    expect((await say({ ...next, runtime: there.runtime })).status).toBe(403);
  });

  // The embedded engine has one node.
  if (inject('engine') === 'postgres')
    test('share the requests of a minute', async ({ api }) => {
      // Time stands still, so that nothing is given back behind the test’s back.
      const clock = { atMs: Date.now(), nowMs: () => clock.atMs, monotonicMs: () => clock.atMs };
      const nodes = [await openNode(api, { clock }), await openNode(api, { clock })];
      const { id, url, owner } = await api.newWorkspace();
      await limitWorkspace(api, id, { requestsPerMinute: 70 });
      const [here, there] = nodes.map(({ app }) => new Client(app.server, owner.headers)) as [Client, Client];
      const rates = nodes.map(({ app }) => app.context.quotas.requests);
      const spent = () => rates.map((rate) => rate.spent(id, 70));
      const exchange = async () => {
        for (const rate of [...rates, ...rates]) await rate.share();
      };
      for (const node of nodes) await node.app.context.quotas.settled();
      await here.get(url);
      await there.get(url);
      await exchange();
      // What the first had told before the second asked may have been long ago.
      expect(spent()).toEqual([2, 1]);
      for (let count = 0; count < 40; count++) await here.get(url);
      for (let count = 0; count < 20; count++) await there.get(url);
      await exchange();
      await exchange();
      expect(spent()).toEqual([62, 61]);
      for (let count = 0; count < 9; count++) expect((await there.get(url)).status).toBe(200);
      expect((await there.get(url)).status).toBe(429);
      await exchange();
      // One more than there was, which is owed.
      expect(spent()).toEqual([71, 70]);
      expect((await here.get(url)).status).toBe(429);
      clock.atMs += 61_000;
      await exchange();
      expect(spent()).toEqual([0, 0]);
      // One of them forgets the workspace meanwhile, and counts from the beginning.
      for (let times = 0; times < 3; times++) {
        clock.atMs += 60_000;
        await there.get(url);
        await exchange();
      }
      clock.atMs += 60_000;
      for (let count = 0; count < 5; count++) await here.get(url);
      await exchange();
      expect(spent()).toEqual([5, 5]);
      expect(await api.countRows('request_totals', id)).toBe(2);
      await api.db.run(sql`update request_totals set updated_at = ${'2020-01-01T00:00:00.000Z'} where workspace_id = ${id}`);
      await dropOldRequestTotals(api.db, api.clock.nowMs());
      expect(await api.countRows('request_totals', id)).toBe(0);
    });

  if (inject('engine') === 'postgres')
    test('that are asked for all they let through keep to the limit together', async ({ api }) => {
      const clock = { atMs: 1_000_000, nowMs: () => Date.now(), monotonicMs: () => clock.atMs };
      const rates = [1, 2].map(() => new RequestRates(api.db, clock, pino({ level: 'silent' })));
      onTestFinished(async () => {
        for (const rate of rates) await rate.close();
      });
      const { id } = await api.newWorkspace();
      let letThrough = 0;
      const share = async () => {
        for (const rate of rates) await rate.share();
      };
      const takeAll = (rate: RequestRates) => {
        while (rate.take(id, 60).allowed) letThrough++;
      };
      for (const rate of rates) rate.take(id, 60);
      await share();
      await share();
      // Three minutes and the bucket that each began with, in steps of the exchange.
      for (let step = 0; step < 90; step++) {
        for (const rate of rates) takeAll(rate);
        await share();
        await share();
        clock.atMs += 2_000;
      }
      expect(letThrough).toBeLessThan(60 + 180 + 10);
      expect(letThrough).toBeGreaterThan(60 + 180 - 70);
    });
  else
    test('are one with the embedded engine, which has nobody to tell', async ({ api }) => {
      const { id, url, owner } = await api.newWorkspace();
      await limitWorkspace(api, id, { requestsPerMinute: 70 });
      expect((await owner.get(url)).status).toBe(200);
      expect(api.app.context.quotas.requests.followed).toBe(0);
    });
});

test('requests beyond those of a minute are 429 for every caller of the workspace, and of no other', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const other = await api.newWorkspace();
  const key = await api.newAccessKey(workspace);
  await limitWorkspace(api, workspace.id, { requestsPerMinute: 2 });
  const agents = `${workspace.url}/agents`;
  expect([(await workspace.owner.get(agents)).status, (await key.get(agents)).status]).toEqual([200, 200]);
  const refused = await key.get(agents);
  expect(refused).toMatchObject({
    status: 429,
    headers: { 'ratelimit-limit': '2', 'ratelimit-remaining': '0' },
    body: {
      code: 'too_many_requests',
      errorMessage: expect.stringMatching(/^The workspace has reached its limit of 2 requests a minute\. /),
    },
  });
  const retryAfter = Number(refused.headers['retry-after']);
  expect(refused.body.errorMessage).toContain(`Try again in ${retryAfter} s.`);
  expect(retryAfter).toBeLessThanOrEqual(30);
  expect((await workspace.owner.get(workspace.url)).status).toBe(429);
  // Strangers can't use it up, and whoever calls elsewhere is not held by it.
  expect((await other.owner.get(agents)).status).toBe(404);
  expect((await workspace.owner.get('/me')).status).toBe(200);
  expect((await other.owner.get(other.url)).status).toBe(200);
  api.clock.advance(30_000);
  expect((await readUsage(api, workspace)).requestsPerMinute).toMatchObject({ limit: 2 });
  api.clock.advance(60_000);
  expect((await key.get(agents)).status).toBe(200);
});

describe('every route that can store', () => {
  test('says what, and is refused where there is no room; what stores nothing is not', async () => {
    const { api, close } = await openApi();
    onTestFinished(close);
    const examples = await bodyExamples(api);
    const { items, workspace } = await newFurnishedScene(api, examples);
    await limitWorkspace(api, workspace.id, { bytes: 0 });
    const before = await api.countRows('messages', workspace.id);
    const outcomes: Record<string, string> = {};
    for (const route of api.app.api.routes.filter((one) => mayStore(one) && one.path.includes(':workspaceId'))) {
      expect(route.stores, titleOf(route)).toBeDefined();
      const form =
        route.upload &&
        formOf([
          { name: 'title', content: 'A title' },
          { name: route.upload.file, filename: 'notes.txt', content: 'Some text' },
        ]);
      const isByLabels = route.path.endsWith('/by-labels');
      const { externalId } =
        (await workspace.owner.get(pathOf({ path: route.path.replace(/\/sessions.*/, '/sessions') }, items))).body?.sessions?.[0] ?? {};
      const path = pathOf(route, items) + (isByLabels ? `?id=${externalId}` : '');
      // Long enough to be more than what it replaces; what makes a session takes room with nothing sent.
      const makesSession = route.name === 'createSession' || route.name === 'forkSession';
      const body = form?.text ?? (makesSession ? {} : longer(examples.get(titleOf(route))));
      const answer = await workspace.owner.send(route.method, path, body, form && { 'content-type': form.type });
      outcomes[route.name] = answer.body?.code === 'quota_exceeded' ? 'refused' : String(answer.status);
      expect([route.name, answer.body?.code === 'quota_exceeded', answer.text]).toEqual([
        route.name,
        route.stores !== 'nothing',
        answer.text,
      ]);
    }
    expect(Object.values(outcomes).filter((outcome) => outcome === 'refused').length).toBeGreaterThan(12);
    expect(await api.countRows('messages', workspace.id)).toBe(before);
  });
});

/** An example with whatever text it has made long. */
function longer(example: Record<string, unknown> | undefined): Record<string, unknown> {
  const text = 'x'.repeat(90);
  const { messageId: _, ...fields } = example ?? {};
  return { ...fields, ...(example && 'content' in example && { content: text.repeat(20) }), meta: { text }, description: text };
}
