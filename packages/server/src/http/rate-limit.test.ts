/** The rate limit of the whole API: for each key, and for each address that sends none. */
import { pino } from 'pino';
import { expect } from 'vitest';
import { Client, type TestApi, test } from '../../test/api.ts';
import { type App, createApp } from '../app.ts';
import type { Clock } from '../clock.ts';
import { readConfig } from '../config.ts';

/** Time stands still, so that nothing is refilled behind a test’s back. */
class StoppedClock implements Clock {
  #nowMs = Date.now();
  #monotonicMs = 0;
  nowMs(): number {
    return this.#nowMs;
  }
  monotonicMs(): number {
    return this.#monotonicMs;
  }
  advance(ms: number): void {
    this.#nowMs += ms;
    this.#monotonicMs += ms;
  }
  /** As an administrator or a time server may do; no less time has passed for it. */
  setBack(ms: number): void {
    this.#nowMs -= ms;
  }
}

interface Limited {
  readonly app: App;
  readonly clock: StoppedClock;
  client(headers: Record<string, string>): Client;
}

/** The file’s database behind a service that takes five requests a second. */
async function limited(api: TestApi, work: (limited: Limited) => Promise<void>): Promise<void> {
  const clock = new StoppedClock();
  const config = readConfig({ COMMONPLACE_REGISTRATION: 'open', COMMONPLACE_RATE_LIMIT: '5' });
  const app = await createApp(config, api.db, pino({ level: 'silent' }), clock);
  try {
    await work({ app, clock, client: (headers) => new Client(app.server, headers) });
  } finally {
    await app.close();
  }
}

async function spend(client: Client, path: string, count: number): Promise<(string | number | undefined)[][]> {
  const spent: (string | number | undefined)[][] = [];
  for (let index = 0; index < count; index++) {
    const { status, headers } = await client.get(path);
    spent.push([status, headers['ratelimit-limit'], headers['ratelimit-remaining']] as (string | number | undefined)[]);
  }
  return spent;
}

const fiveAllowed = ['4', '3', '2', '1', '0'].map((remaining) => [200, '5', remaining]);

test('the sixth request of a key is 429, and says when to come again', async ({ api }) => {
  const { client: user } = await api.newUser();
  await limited(api, async ({ client, clock }) => {
    const caller = client(user.headers);
    expect(await spend(caller, '/me', 5)).toEqual(fiveAllowed);
    const refused = await caller.get('/me');
    expect(refused).toMatchObject({ status: 429, body: { errorMessage: 'Too many requests', code: 'too_many_requests' } });
    expect(refused.headers).toMatchObject({
      'retry-after': '1',
      'ratelimit-limit': '5',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '1',
    });

    clock.advance(199);
    expect((await caller.get('/me')).status).toBe(429);
    clock.advance(1);
    expect((await caller.get('/me')).status).toBe(200);
    expect((await caller.get('/me')).status).toBe(429);
    clock.advance(1000);
    expect(await spend(caller, '/me', 6)).toEqual([...fiveAllowed, [429, '5', '0']]);
  });
});

test('whoever heeds Retry-After gets in', async ({ api }) => {
  const { client: user } = await api.newUser();
  await limited(api, async ({ client, clock }) => {
    const caller = client(user.headers);
    await spend(caller, '/me', 5);
    clock.advance(Number((await caller.get('/me')).headers['retry-after']) * 1000);
    expect((await caller.get('/me')).status).toBe(200);
  });
});

test('another key is not affected, of the same user or of another', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const second = (await workspace.owner.post('/apiKeys', { name: 'second' })).body.key as string;
  const accessKey = await api.newAccessKey(workspace);
  await limited(api, async ({ client }) => {
    await spend(client(workspace.owner.headers), '/me', 6);
    expect((await client(workspace.owner.headers).get('/me')).status).toBe(429);
    for (const headers of [{ 'x-api-key': second }, accessKey.headers, (await api.newBrowser(workspace.ownerUser)).headers]) {
      expect(await spend(client(headers), '/me', 5)).toEqual(fiveAllowed);
      expect((await client(headers).get('/me')).status).toBe(429);
    }
  });
});

test('an address that sends no key, or a bad one, has one bucket; those with a key are not in it', async ({ api }) => {
  const { client: user } = await api.newUser();
  await limited(api, async ({ client }) => {
    expect(await spend(client({}), '/auth/status', 3)).toEqual(fiveAllowed.slice(0, 3));
    expect((await client({}).get('/me')).status).toBe(401);
    expect((await client({ 'x-api-key': 'nonsense' }).get('/me')).status).toBe(401);
    for (const headers of [{}, { 'x-api-key': 'other' }, { 'x-access-key': 'other' }] as Record<string, string>[]) {
      expect((await client(headers).get('/me')).status).toBe(429);
    }
    expect((await client({}).get('/_health')).status).toBe(429);
    expect((await client(user.headers).get('/me')).status).toBe(200);
  });
});

test('each address has its own', async ({ api }) => {
  await limited(api, async ({ app }) => {
    const from = async (remoteAddress: string) => (await app.server.inject({ url: '/api/v1/auth/status', remoteAddress })).statusCode;
    for (let index = 0; index < 5; index++) expect(await from('10.0.0.1')).toBe(200);
    expect(await from('10.0.0.1')).toBe(429);
    expect(await from('10.0.0.2')).toBe(200);
  });
});

test('a forwarded address is not believed unless it comes from a proxy that is trusted', async ({ api }) => {
  await limited(api, async ({ client }) => {
    const asked = async (address: string) => (await client({ 'x-forwarded-for': address }).get('/auth/status')).status;
    for (let index = 0; index < 5; index++) expect(await asked(`10.0.0.${index}`)).toBe(200);
    expect(await asked('10.0.0.9')).toBe(429);
  });
});

test('a clock that is set back keeps nobody out', async ({ api }) => {
  const { client: user } = await api.newUser();
  await limited(api, async ({ client, clock }) => {
    const caller = client(user.headers);
    await spend(caller, '/me', 5);
    clock.setBack(60_000);
    expect((await caller.get('/me')).headers).toMatchObject({ 'retry-after': '1' });
    clock.advance(1000);
    expect(await spend(caller, '/me', 5)).toEqual(fiveAllowed);
  });
});

test('what is refused does nothing', async ({ api }) => {
  const { client: user } = await api.newUser();
  await limited(api, async ({ client }) => {
    await spend(client(user.headers), '/me', 5);
    expect((await client(user.headers).post('/workspaces', { name: 'Too many' })).status).toBe(429);
  });
  expect((await user.get('/workspaces')).body._meta.total).toBe(0);
});

test('there is no limit unless one is set', async ({ api }) => {
  const { client } = await api.newUser();
  const answers = await Promise.all(Array.from({ length: 50 }, () => client.get('/me')));
  for (const { status, headers } of answers) {
    expect(status).toBe(200);
    expect(headers).not.toHaveProperty('ratelimit-limit');
  }
});
