/** The rate limit of the whole API: for each caller with all of its keys, and for each address that sends none. */
import { pino } from 'pino';
import { expect } from 'vitest';
import { Client, type TestApi, test } from '../../test/api.ts';
import { type App, createApp } from '../app.ts';
import type { Clock } from '../clock.ts';
import { type Environment, readConfig } from '../config.ts';

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
  await serving(api, { COMMONPLACE_RATE_LIMIT: '5' }, work);
}

async function serving(api: TestApi, environment: Environment, work: (limited: Limited) => Promise<void>): Promise<void> {
  const clock = new StoppedClock();
  const config = readConfig({ COMMONPLACE_REGISTRATION: 'open', ...environment });
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

test('the sixth request of a caller is 429, and says when to come again', async ({ api }) => {
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

test('another key gives a user no more, nor does a browser', async ({ api }) => {
  const { client: user, ...account } = await api.newUser();
  const second = (await user.post('/apiKeys', { name: 'second' })).body.key as string;
  const browser = await api.newBrowser({ client: user, ...account });
  await limited(api, async ({ client }) => {
    expect(await spend(client(user.headers), '/me', 5)).toEqual(fiveAllowed);
    for (const headers of [user.headers, { 'x-api-key': second }, browser.headers]) {
      expect((await client(headers).get('/me')).status).toBe(429);
    }
  });
});

test('another access key gives a workspace no more; its people and other workspaces are not affected', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const keys = [await api.newAccessKey(workspace), await api.newAccessKey(workspace)] as const;
  const other = await api.newAccessKey(await api.newWorkspace());
  await limited(api, async ({ client }) => {
    expect(await spend(client(keys[0].headers), '/me', 5)).toEqual(fiveAllowed);
    for (const key of keys) expect((await client(key.headers).get('/me')).status).toBe(429);
    for (const headers of [workspace.owner.headers, other.headers]) {
      expect(await spend(client(headers), '/me', 5)).toEqual(fiveAllowed);
    }
  });
});

test('what is not declared is charged to the address', async ({ api }) => {
  await limited(api, async ({ app, client }) => {
    const asked = async (url: string) => (await app.server.inject({ url })).statusCode;
    const paths = ['/metrics', '/docs', '/api/v1/openapi.json', '/nowhere', '/api/v1/nowhere'];
    expect(await Promise.all(paths.map(asked))).toEqual([200, 200, 200, 404, 404]);
    expect(await Promise.all(paths.map(asked))).toEqual([429, 429, 429, 429, 429]);
    expect((await client({}).send('DELETE', '/auth/status')).status).toBe(429);
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
    expect((await client({}).get('/auth/status')).status).toBe(429);
    expect((await client(user.headers).get('/me')).status).toBe(200);
  });
});

test('each address has its own', async ({ api }) => {
  await limited(api, async ({ app }) => {
    const from = async (remoteAddress: string) => (await app.server.inject({ url: '/api/v1/auth/status', remoteAddress })).statusCode;
    for (let index = 0; index < 5; index++) expect(await from('10.0.0.1')).toBe(200);
    expect(await from('10.0.0.1')).toBe(429);
    expect(await from('10.0.0.2')).toBe(200);
    expect(await from('::ffff:10.0.0.1')).toBe(429);
    for (let index = 0; index < 5; index++) expect(await from(`2001:db8::${index}`)).toBe(200);
    expect(await from('2001:db8::ffff')).toBe(429);
    expect(await from('2001:db8:0:1::')).toBe(200);
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

test('a request counts as one where a limit is set, whatever it costs', async ({ api }) => {
  const { client: user } = await api.newUser();
  await limited(api, async ({ client }) => {
    const { headers } = await client(user.headers).post('/workspaces', { name: 'One' });
    expect(headers).toMatchObject({ 'ratelimit-limit': '5', 'ratelimit-remaining': '4' });
  });
});

test('unless told, the limit counts what requests cost', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const session = await api.newSession(await api.newAgent(workspace));
  await serving(api, {}, async ({ client }) => {
    const owner = client(workspace.owner.headers);
    let left = 40_000;
    const costs = async (method: string, path: string, cost: number, body?: object) => {
      const { headers, status } = await owner.send(method, path, body);
      expect(status).toBeLessThan(300);
      left -= cost;
      expect(headers).toMatchObject({ 'ratelimit-limit': '40000', 'ratelimit-remaining': String(left) });
    };
    await costs('GET', workspace.url, 1);
    await costs('GET', `${workspace.url}/agents`, 5);
    await costs('POST', `${session.url}/messages`, 2, { role: 'user', content: 'Hello' });
    await costs('POST', `${session.url}/messages/search`, 100, { query: 'hello' });
  });
});

test('off is off', async ({ api }) => {
  const { client: user } = await api.newUser();
  await serving(api, { COMMONPLACE_RATE_LIMIT: 'off' }, async ({ client }) => {
    expect((await client(user.headers).get('/me')).headers).not.toHaveProperty('ratelimit-limit');
  });
});
