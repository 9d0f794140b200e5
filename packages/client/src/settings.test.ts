import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { json, never, stubFetch } from '../test/stub-fetch.ts';
import { Commonplace } from './commonplace.ts';
import { readSettings } from './settings.ts';

beforeEach(() => {
  for (const name of ['URL', 'ACCESS_KEY', 'API_KEY', 'WORKSPACE_ID', 'AGENT_ID']) vi.stubEnv(`COMMONPLACE_${name}`, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test('without anything: this machine, no key', () => {
  expect(readSettings({})).toMatchObject({ baseUrl: 'http://127.0.0.1:8080/api/v1', credential: {}, timeoutMs: 60_000, maxRetries: 3 });
});

test('the environment says where and who', () => {
  vi.stubEnv('COMMONPLACE_URL', 'https://commonplace.example');
  vi.stubEnv('COMMONPLACE_API_KEY', 'cpu_1');
  vi.stubEnv('COMMONPLACE_WORKSPACE_ID', 'w');
  expect(readSettings({})).toMatchObject({
    baseUrl: 'https://commonplace.example/api/v1',
    credential: { 'x-api-key': 'cpu_1' },
    workspaceId: 'w',
  });
  vi.stubEnv('COMMONPLACE_ACCESS_KEY', 'cpa_1');
  expect(readSettings({}).credential).toEqual({ 'x-access-key': 'cpa_1' });
});

test('what is given goes before the environment, a key before any key there', () => {
  vi.stubEnv('COMMONPLACE_URL', 'https://commonplace.example');
  vi.stubEnv('COMMONPLACE_ACCESS_KEY', 'cpa_1');
  expect(readSettings({ apiKey: 'cpu_2', baseUrl: 'http://other.test' })).toMatchObject({
    baseUrl: 'http://other.test/api/v1',
    credential: { 'x-api-key': 'cpu_2' },
  });
  expect(() => readSettings({ apiKey: 'cpu_2', accessKey: 'cpa_2' })).toThrow('not both');
});

test.for(['http://a.test', 'http://a.test/', 'http://a.test///', 'http://a.test/api/v1', 'http://a.test/api/v1/'])(
  '%s is the same address',
  (baseUrl) => {
    expect(readSettings({ baseUrl }).baseUrl).toBe('http://a.test/api/v1');
  },
);

test('nothing is logged unless asked for: warnings with a logger, more with a level', () => {
  const lines: string[] = [];
  const logger = {
    name: 'mine',
    debug: (line: string) => lines.push(`debug ${line}`),
    warn(line: string) {
      lines.push(`${this.name} warn ${line}`);
    },
  };
  const console = vi.spyOn(globalThis.console, 'debug').mockImplementation(() => undefined);
  for (const logLevel of [undefined, 'off', 'error', 'warn', 'info', 'debug'] as const) {
    const used = readSettings({ logger, logLevel }).logger;
    used.debug?.(String(logLevel));
    used.warn?.(String(logLevel));
  }
  expect(lines).toEqual(['mine warn undefined', 'mine warn warn', 'mine warn info', 'debug debug', 'mine warn debug']);
  readSettings({}).logger.debug?.('no');
  readSettings({ logLevel: 'debug' }).logger.debug?.('yes');
  expect(console.mock.calls).toEqual([['yes']]);
});

test('another client is as the first but for what it is told, and a key takes the place of either kind', async () => {
  const { fetch, sent } = stubFetch(json({}));
  const first = new Commonplace({ baseUrl: 'http://a.test', accessKey: 'cpa_1', defaultHeaders: { 'x-team': 'one' }, fetch });
  await first.withOptions({ defaultHeaders: { 'x-team': 'two' } }).me.get();
  await first.withOptions({ apiKey: 'cpu_1' }).withOptions({ timeoutMs: 1_000 }).me.get();
  await first.me.get();
  expect(sent.map(({ url, headers }) => [url.host, headers['x-access-key'], headers['x-api-key'], headers['x-team']])).toEqual([
    ['a.test', 'cpa_1', undefined, 'two'],
    ['a.test', undefined, 'cpu_1', 'one'],
    ['a.test', 'cpa_1', undefined, 'one'],
  ]);
});

test.for(['cpa_secret\nsecond', 'cpa_secret key', 'cpa_secrét', ''])(
  'a key that can’t be one (%j) is refused, and not shown',
  (accessKey) => {
    const refusal = /^(accessKey|COMMONPLACE_ACCESS_KEY) is empty, or has a space, a line break or another character that no key has$/;
    expect(() => new Commonplace({ accessKey })).toThrow(refusal);
    vi.stubEnv('COMMONPLACE_ACCESS_KEY', accessKey);
    if (accessKey) expect(() => new Commonplace()).toThrow(refusal);
  },
);

test('a key may have spaces around it, as one that is read from a file', async () => {
  const { fetch, sent } = stubFetch(json({}));
  await new Commonplace({ accessKey: ' cpa_1\n', fetch }).me.get();
  expect(sent[0]?.headers['x-access-key']).toBe('cpa_1');
});

test.for(['localhost:8080', '127.0.0.1:8080', 'ftp://a.test', '', '/api'])('an address that is none (%j) is refused at once', (baseUrl) => {
  expect(() => new Commonplace({ baseUrl })).toThrow('baseUrl must begin with http:// or https://');
});

test('an address with a password is refused, and not shown', () => {
  const make = () => new Commonplace({ baseUrl: 'https://user:pw-secret@a.test' });
  expect(make).toThrow('baseUrl must not hold a name or password: send them in defaultHeaders');
});

test('an agent that is not named is that of the environment', async () => {
  const client = new Commonplace({ apiKey: 'cpu_1', workspaceId: 'w', fetch: stubFetch(json({})).fetch });
  expect(() => client.agent()).toThrow('Which agent? Give its handle or id, or set COMMONPLACE_AGENT_ID');
  vi.stubEnv('COMMONPLACE_AGENT_ID', '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c20');
  expect(await client.agent().id()).toBe('0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c20');
});

test('the workspace of an access key is asked for once', async () => {
  const { fetch, sent } = stubFetch(({ url }) =>
    json(url.pathname.endsWith('/me') ? { principalType: 'ACCESS_KEY', accessKey: { workspaceId: 'w-of-key' } } : { id: 'a' }),
  );
  const client = new Commonplace({ accessKey: 'cpa_1', fetch });
  await Promise.all([client.agents.get('a'), client.agents.get('b')]);
  await client.agents.get('c');
  expect(sent.map(({ url }) => url.pathname.replace('/api/v1', ''))).toEqual([
    '/me',
    '/workspaces/w-of-key/agents/a',
    '/workspaces/w-of-key/agents/b',
    '/workspaces/w-of-key/agents/c',
  ]);
});

test('a question for the workspace that failed is asked again', async () => {
  const { fetch } = stubFetch(json({ errorMessage: 'No' }, 500), json({ accessKey: { workspaceId: 'w' } }), json({ id: 'a' }));
  const client = new Commonplace({ accessKey: 'cpa_1', fetch });
  await expect(client.agents.get('a')).rejects.toThrow('No');
  expect(await client.agents.get('a')).toEqual({ id: 'a' });
});

test('who gives up waiting for the workspace, or for the id of an agent, need not wait', async () => {
  const silent = new Commonplace({ accessKey: 'cpa_1', fetch: stubFetch(never).fetch });
  const options = { signal: AbortSignal.abort() };
  await expect(silent.agents.get('a', options)).rejects.toBeInstanceOf(Commonplace.APIUserAbortError);
  await expect(silent.agent('support').get(options)).rejects.toBeInstanceOf(Commonplace.APIUserAbortError);
});

test('without a workspace the error says what to do', async () => {
  const client = new Commonplace({ apiKey: 'cpu_1', fetch: stubFetch(json({})).fetch });
  await expect(client.agents.get('a')).rejects.toThrow('Which workspace? Give the client a workspaceId');
});
