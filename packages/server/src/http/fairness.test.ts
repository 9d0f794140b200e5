/** One tenant asks for all that it can get; another is served all the same, and never refused. */
import { type AddressInfo, connect } from 'node:net';
import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import { type Answer, atOnce, Client, openApi, type TestApi, type TestSession, test } from '../../test/api.ts';
import { createApiKey } from '../api-keys/store.ts';
import { type App, createApp } from '../app.ts';
import { readConfig } from '../config.ts';
import { sql } from '../db/sql.ts';

interface Tenant {
  readonly client: Client;
  readonly session: TestSession;
  readonly workspaceUrl: string;
}

async function newTenant(api: TestApi): Promise<Tenant> {
  // As a node that serves: callers are remembered.
  if (!api.db.trustsBroadcasts()) await api.db.join?.();
  const session = await api.newSession();
  await session.runtime.post(`${session.url}/messages`, { role: 'user', content: 'I like the sea.' });
  return { client: session.runtime, session, workspaceUrl: session.agent.workspace.url };
}

/** Asks again and again until the flood is over; the statuses of the answers. */
async function servedMeanwhile(flood: Promise<unknown>, ask: () => Promise<Answer>): Promise<{ statuses: Set<number>; count: number }> {
  let isOver = false;
  const over = flood.finally(() => {
    isOver = true;
  });
  const statuses = new Set<number>();
  let count = 0;
  while (!isOver) {
    statuses.add((await ask()).status);
    count++;
  }
  await over;
  return { statuses, count };
}

async function listening(app: App): Promise<number> {
  if (!app.server.server.listening) await app.server.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.server.address() as AddressInfo).port;
}

/** Sends the same GET so many times on one connection, without waiting; how often each status came. */
async function pipelined(port: number, { headers }: Client, path: string, count: number): Promise<Record<string, number>> {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.setEncoding('latin1');
  socket.write(`GET /api/v1${path} HTTP/1.1\r\n${lines.join('')}\r\n`.repeat(count));
  const statuses: Record<string, number> = {};
  let seen = 0;
  let rest = '';
  for await (const chunk of socket) {
    const text: string = rest + chunk;
    const found = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)];
    for (const [, status = ''] of found) statuses[status] = (statuses[status] ?? 0) + 1;
    seen += found.length;
    const last = found.at(-1);
    rest = text.slice(last ? last.index + last[0].length : 0).slice(-12);
    if (seen >= count) break;
  }
  return statuses;
}

test('1,000 lists on one connection, and on each of five, are all answered, and a neighbour is served meanwhile', async ({ api }) => {
  const port = await listening(api.app);
  const [crowd, neighbour] = [await newTenant(api), await newTenant(api)];
  const list = (tenant: Tenant) => `${tenant.workspaceUrl}/agents`;
  for (const connections of [1, 5]) {
    const flood = Promise.all(Array.from({ length: connections }, () => pipelined(port, crowd.client, list(crowd), 1_000)));
    let most = 0;
    const { statuses, count } = await servedMeanwhile(flood, () => {
      most = Math.max(most, api.app.api.limits.gauges().in_flight as number);
      return neighbour.client.get(list(neighbour));
    });
    expect(await flood).toEqual(Array.from({ length: connections }, () => ({ 200: 1_000 })));
    expect(statuses).toEqual(new Set([200]));
    // In turn: one of the neighbour's for at most so many of the crowd as are in flight.
    expect(count).toBeGreaterThanOrEqual((connections * 1_000) / 128 - 1);
    expect(most).toBeLessThanOrEqual(Math.min(128, connections * 32));
  }
  expect(api.app.api.limits.gauges()).toMatchObject({ in_flight: 0, waiting: 0, callers: 0 });
});

test('5,000 searches at once are served or told to come again, and a neighbour is served meanwhile', async ({ api }) => {
  const [crowd, neighbour] = [await newTenant(api), await newTenant(api)];
  const search = ({ client, session }: Tenant) => client.post(`${session.url}/messages/search`, { query: 'the sea' });
  const flood = atOnce(5_000, () => search(crowd));
  const { statuses, count } = await servedMeanwhile(flood, () => search(neighbour));
  expect(statuses).toEqual(new Set([200]));
  expect(count).toBeGreaterThan(0);
  const { answers, statuses: ofCrowd } = await flood;
  expect(ofCrowd[200]).toBeGreaterThanOrEqual(128);
  for (const { status, headers } of answers) {
    expect([200, 429, 503]).toContain(status);
    if (status !== 200) expect(headers).toHaveProperty('retry-after');
  }
});

test('5,000 writes at once are served or told to come again, and a neighbour writes meanwhile', async ({ api }) => {
  const [crowd, neighbour] = [await newTenant(api), await newTenant(api)];
  const write = ({ client, session }: Tenant) => client.post(`${session.url}/messages`, { role: 'user', content: 'More.' });
  const flood = atOnce(5_000, () => write(crowd));
  const { statuses } = await servedMeanwhile(flood, () => write(neighbour));
  expect(statuses).toEqual(new Set([201]));
  const { answers, statuses: ofCrowd } = await flood;
  for (const { status, headers } of answers) {
    expect([201, 429, 503]).toContain(status);
    if (status !== 201) expect(headers).toHaveProperty('retry-after');
  }
  // Those in flight and those in the queue; on a slow machine some of the rest find a place that became free.
  expect(ofCrowd[201]).toBeGreaterThanOrEqual(128);
  const { count } = await api.db.one(sql<{ count: number }>`
    select count(*) as count from messages where workspace_id = ${crowd.session.agent.workspace.id} and session_id = ${crowd.session.id}`);
  expect(count).toBe(1 + (ofCrowd[201] ?? 0));
});

test('a client with 200 requests at once is served, only slower', async ({ api }) => {
  const { client, workspaceUrl } = await newTenant(api);
  expect((await atOnce(200, () => client.get(`${workspaceUrl}/agents`))).statuses).toEqual({ 200: 200 });
});

test('1,000 keys give a user no more than one', async ({ api }) => {
  const user = await api.newUser();
  const by = { type: 'user', id: user.id, name: 'test', address: 'test', requestId: 'test' } as const;
  const keys = await Promise.all(
    Array.from({ length: 1_000 }, (_, index) => createApiKey(api.db, by, user.id, { name: `key ${index}` }, api.clock.nowMs())),
  );
  const neighbour = await api.newUser();
  const flood = atOnce(3_000, (index) => api.client({ 'x-api-key': keys[index % 1_000]?.key as string }).get('/workspaces'));
  let most = 0;
  const { statuses } = await servedMeanwhile(flood, () => {
    most = Math.max(most, api.app.api.limits.gauges().in_flight as number);
    return neighbour.client.get('/workspaces');
  });
  expect(statuses).toEqual(new Set([200]));
  expect(most).toBeLessThanOrEqual(128);
  const { answers } = await flood;
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
});

test('keys by the thousand keep nobody else from being known, unknown ones or one that is looked up each time', async () => {
  // Not joined: on PostgreSQL nothing that is remembered may be relied on.
  const { api, close } = await openApi();
  onTestFinished(close);
  const users = await Promise.all(Array.from({ length: 20 }, () => api.newUser()));
  const crowd = await api.newUser();
  const floods = [(index: number) => api.client({ 'x-api-key': `nobodys-key-${index}-at-all` }).get('/me'), () => crowd.client.get('/me')];
  for (const ask of floods) {
    const flood = atOnce(2_000, ask);
    const known = await Promise.all(users.map(({ client }) => client.get('/me')));
    expect(known.map(({ status }) => status)).toEqual(users.map(() => 200));
    const { statuses } = await flood;
    expect(Object.keys(statuses).filter((status) => !['200', '401', '429', '503'].includes(status))).toEqual([]);
  }
});

test('another node serves a neighbour while this one is flooded, and the same tenant too', async ({ api }) => {
  const config = readConfig({});
  const other = await createApp(config, api.db, pino({ level: 'silent' }), api.clock);
  onTestFinished(() => other.close());
  const [crowd, neighbour] = [await newTenant(api), await newTenant(api)];
  const flood = atOnce(3_000, () => crowd.client.get(`${crowd.workspaceUrl}/agents`));
  const there = (tenant: Tenant) => new Client(other.server, tenant.client.headers).get(`${tenant.workspaceUrl}/agents`);
  const { statuses } = await servedMeanwhile(flood, async () => {
    expect((await there(crowd)).status).toBe(200);
    return there(neighbour);
  });
  expect(statuses).toEqual(new Set([200]));
  // A page may be large, and takes sixteen places. Who comes when the first are answered takes theirs.
  const { 200: served = 0, 429: refused = 0 } = (await flood).statuses;
  expect(served).toBeGreaterThanOrEqual(8 + 1_024);
  expect(refused).toBeGreaterThan(0);
  expect(served + refused).toBe(3_000);
});

test('whoever hangs up frees their places', async () => {
  const { api, close } = await openApi();
  onTestFinished(close);
  const port = await listening(api.app);
  const { client, workspaceUrl } = await newTenant(api);
  const lines = Object.entries({ host: 'localhost', ...client.headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = `GET /api/v1${workspaceUrl}/agents HTTP/1.1\r\n${lines.join('')}\r\n`;
  for (let index = 0; index < 50; index++) {
    const socket = connect(port, '127.0.0.1', () => socket.write(request.repeat(20), () => socket.destroy()));
    socket.on('error', () => undefined);
  }
  await expect.poll(() => api.app.api.limits.gauges(), { timeout: 15_000 }).toMatchObject({ in_flight: 0, waiting: 0, callers: 0 });
  expect((await client.get(`${workspaceUrl}/agents`)).status).toBe(200);
});

test('the metrics tell what is in flight, what was refused and how late the event loop is', async ({ api }) => {
  const { client, workspaceUrl } = await newTenant(api);
  await atOnce(1_200, () => client.get(`${workspaceUrl}/agents`));
  const { body } = await api.app.server.inject('/metrics');
  const metricOf = (line: string) => Number(new RegExp(`^${line.replace(/[{}]/g, '\\$&')} (\\S+)$`, 'm').exec(body)?.[1]);
  expect(metricOf('commonplace_http_requests{what="in_flight"}')).toBe(0);
  expect(metricOf('commonplace_http_requests{what="waiting"}')).toBe(0);
  expect(metricOf('commonplace_http_refused_total{reason="in_flight"}')).toBeGreaterThanOrEqual(48);
  expect(metricOf('commonplace_http_refused_total{reason="rate"}')).toBeGreaterThanOrEqual(0);
  expect(metricOf('commonplace_event_loop_delay_seconds{what="max"}')).toBeGreaterThanOrEqual(0);
  expect(metricOf('commonplace_event_loop_blocked_total')).toBe(0);
});

test('whoever hangs up while it is looked up who they are takes no place', async () => {
  const { api, close } = await openApi();
  onTestFinished(close);
  const { client, workspaceUrl } = await newTenant(api);
  const port = await listening(api.app);
  const { callers } = api.app.context;
  const identify = callers.identify.bind(callers);
  const [asked, goOn, lookedUp] = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  callers.identify = async (...credential) => {
    asked.resolve();
    await goOn.promise;
    setImmediate(lookedUp.resolve);
    return identify(...credential);
  };
  const hungUp = new Promise<void>((resolve) =>
    api.app.server.server.once('connection', (socket) => socket.once('close', () => resolve())),
  );
  const lines = Object.entries({ host: 'localhost', ...client.headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET /api/v1${workspaceUrl}/agents HTTP/1.1\r\n${lines.join('')}\r\n`);
  await asked.promise;
  socket.destroy();
  await hungUp;
  goOn.resolve();
  await lookedUp.promise;
  callers.identify = identify;
  expect((await client.get(`${workspaceUrl}/agents`)).status).toBe(200);
  expect(api.app.api.limits.gauges()).toMatchObject({ in_flight: 0, waiting: 0 });
});

test('bodies that never come keep nobody from signing in, and never the health of the service', async () => {
  const { api, close } = await openApi();
  onTestFinished(close);
  const port = await listening(api.app);
  const stuck = Array.from({ length: 200 }, () => connect(port, '127.0.0.1'));
  onTestFinished(() => stuck.forEach((socket) => void socket.destroy()));
  const head = 'POST /api/v1/auth/login HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{';
  await Promise.all(stuck.map((socket) => new Promise<void>((resolve) => socket.write(head, () => resolve()))));
  await expect.poll(() => connectionsOf(api.app)).toBeGreaterThanOrEqual(200);
  for (const path of ['/_health', '/public/_ready', '/auth/status'])
    expect((await fetch(`http://127.0.0.1:${port}/api/v1${path}`)).status).toBe(200);
  const login = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"email":"a@example.com","password":"x"}' };
  expect((await fetch(`http://127.0.0.1:${port}/api/v1/auth/login`, login)).status).toBe(401);
});

async function connectionsOf(app: App): Promise<number> {
  return new Promise((resolve, reject) => app.server.server.getConnections((error, count) => (error ? reject(error) : resolve(count))));
}

test('health is answered to whoever has spent their rate', async () => {
  const { api, close } = await openApi({ COMMONPLACE_RATE_LIMIT: '1' });
  onTestFinished(close);
  const { statuses } = await atOnce(20, () => api.anonymous.get('/auth/status'));
  expect(statuses[429]).toBeGreaterThan(0);
  expect((await atOnce(20, () => api.anonymous.get('/_health'))).statuses).toEqual({ 200: 20 });
});
