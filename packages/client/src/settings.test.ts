import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { json, never, stubFetch } from '../test/stub-fetch.ts';
import { Commonplace } from './commonplace.ts';
import { readSettings } from './settings.ts';

beforeEach(() => {
  for (const name of ['URL', 'ACCESS_KEY', 'API_KEY', 'WORKSPACE_ID']) vi.stubEnv(`COMMONPLACE_${name}`, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
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
