import { inspect } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { json, never, stubFetch } from '../test/stub-fetch.ts';
import { Commonplace } from './commonplace.ts';
import type { ClientOptions } from './settings.ts';

const agent = { id: 'a', name: 'Support' };
const failure = (status: number, headers: Record<string, string> = {}) =>
  json(
    {
      errorMessage: `It was ${status}`,
      code: 'some_code',
      requestId: 'request-1',
      details: [{ path: 'name', message: 'Name is required' }],
    },
    status,
    headers,
  );
const reset = () => Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } });

function clientOn(fetch: typeof globalThis.fetch, options: ClientOptions = {}): Commonplace {
  // Full jitter is random: here it is none.
  vi.spyOn(Math, 'random').mockReturnValue(0);
  return new Commonplace({ baseUrl: 'http://service.test', accessKey: 'cpa_secret', workspaceId: 'w', fetch, ...options });
}

describe('an error', () => {
  test.for([
    [400, Commonplace.BadRequestError],
    [401, Commonplace.AuthenticationError],
    [403, Commonplace.PermissionDeniedError],
    [404, Commonplace.NotFoundError],
    [405, Commonplace.APIError],
    [409, Commonplace.ConflictError],
    [413, Commonplace.PayloadTooLargeError],
    [415, Commonplace.UnsupportedMediaTypeError],
    [429, Commonplace.RateLimitError],
    [500, Commonplace.InternalServerError],
    [503, Commonplace.ServiceUnavailableError],
  ] as const)('of status %i has its class and what the service said', async ([status, ErrorClass]) => {
    const { fetch } = stubFetch(failure(status));
    const error = await clientOn(fetch, { maxRetries: 0 })
      .agents.create({ name: '' })
      .catch((caught) => caught);
    expect(error).toBeInstanceOf(ErrorClass);
    expect(error).toBeInstanceOf(Commonplace.APIError);
    expect(error.name).toBe(ErrorClass.name);
    expect(error).toMatchObject({
      status,
      message: `It was ${status}`,
      errorMessage: `It was ${status}`,
      code: 'some_code',
      requestId: 'request-1',
    });
    expect(error.details).toEqual([{ path: 'name', message: 'Name is required' }]);
    expect(error.headers.get('content-type')).toBe('application/json');
  });

  test('of a proxy says that the service said nothing', async () => {
    const { fetch } = stubFetch(new Response('<html>Bad gateway</html>', { status: 502, headers: { 'x-request-id': 'of-the-proxy' } }));
    const error = await clientOn(fetch, { maxRetries: 0 })
      .me.get()
      .catch((caught) => caught);
    expect(error).toBeInstanceOf(Commonplace.InternalServerError);
    expect(error).toMatchObject({ message: 'The answer was 502, and no word of the service', requestId: 'of-the-proxy' });
  });

  test('tells of an answer that is no JSON', async () => {
    const { fetch } = stubFetch(new Response('<html>Welcome</html>'));
    await expect(clientOn(fetch).me.get()).rejects.toThrow('The answer is no JSON');
  });

  test.for([301, 302, 307, 308])('of a redirect (%i) says so: the key goes nowhere else', async (status) => {
    const { fetch, sent } = stubFetch(new Response(null, { status, headers: { location: 'http://elsewhere.test/' } }));
    await expect(clientOn(fetch).me.get()).rejects.toThrow('The service redirects');
    expect(sent).toHaveLength(1);
  });
});

describe('a request is sent again', () => {
  test.for([408, 429, 502, 503, 504])('after %i', async (status) => {
    const { fetch, sent } = stubFetch(failure(status), json(agent));
    expect(await clientOn(fetch).agents.get('a')).toEqual(agent);
    expect(sent).toHaveLength(2);
  });

  test.for([400, 401, 403, 404, 409, 413, 415, 500, 501])('not after %i', async (status) => {
    const { fetch, sent } = stubFetch(failure(status), json(agent));
    await expect(clientOn(fetch).agents.get('a')).rejects.toMatchObject({ status });
    expect(sent).toHaveLength(1);
  });

  test('after a broken connection, also one that breaks within the answer', async () => {
    const broken = () => new Response(new ReadableStream({ pull: (controller) => controller.error(reset()) }));
    const { fetch, sent } = stubFetch(reset(), broken, json(agent));
    expect(await clientOn(fetch).agents.get('a')).toEqual(agent);
    expect(sent).toHaveLength(3);
  });

  test('three times unless told, and then the failure is thrown', async () => {
    const { fetch, sent } = stubFetch(reset());
    await expect(clientOn(fetch).me.get()).rejects.toThrow('No answer from http://service.test/api/v1: ECONNRESET');
    expect(sent).toHaveLength(4);
    const told = stubFetch(failure(503));
    await expect(clientOn(told.fetch, { maxRetries: 1 }).me.get()).rejects.toBeInstanceOf(Commonplace.ServiceUnavailableError);
    await expect(clientOn(told.fetch).me.get({ maxRetries: 0 })).rejects.toBeInstanceOf(Commonplace.ServiceUnavailableError);
    expect(told.sent).toHaveLength(3);
  });

  test('not where the service asks to wait for longer than a minute', async () => {
    const { fetch, sent } = stubFetch(failure(429, { 'retry-after': '61' }));
    await expect(clientOn(fetch).me.get()).rejects.toBeInstanceOf(Commonplace.RateLimitError);
    expect(sent).toHaveLength(1);
  });

  test('with the same Idempotency-Key and body, and another call with another key', async () => {
    const { fetch, sent } = stubFetch(reset(), failure(503), json(agent));
    const client = clientOn(fetch);
    await client.agents.create({ name: 'Support' });
    await client.agents.create({ name: 'Support' });
    const keys = sent.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
    expect(keys[3]).not.toBe(keys[0]);
    expect(new Set(sent.map(({ body }) => body))).toEqual(new Set(['{"name":"Support"}']));
  });

  test('with the key that it was told', async () => {
    const { fetch, sent } = stubFetch(json(agent));
    await clientOn(fetch).agents.delete('a', { idempotencyKey: 'mine' });
    expect(sent[0]?.headers['idempotency-key']).toBe('mine');
  });

  test('never by itself where a password is proven or a session begins', async () => {
    const { fetch, sent } = stubFetch(failure(503));
    const client = clientOn(fetch);
    const account = { email: 'ada@example.com', password: 'a long and unusual phrase' };
    await expect(client.auth.logIn(account)).rejects.toThrow();
    await expect(client.auth.changePassword({ currentPassword: 'x', newPassword: 'y' })).rejects.toThrow();
    expect(sent).toHaveLength(2);
  });
});

describe('what deletes the right to see it', () => {
  test('is done where it is not found after a try of which nothing is known', async () => {
    for (const unknown of [reset(), failure(503), failure(504)]) {
      const { fetch, sent } = stubFetch(unknown, failure(404));
      await clientOn(fetch).workspaces.delete('w');
      expect(sent).toHaveLength(2);
    }
  });

  test('is not found where nothing was tried, or the try was refused', async () => {
    await expect(clientOn(stubFetch(failure(404)).fetch).workspaces.delete('w')).rejects.toBeInstanceOf(Commonplace.NotFoundError);
    const refused = stubFetch(failure(429), failure(404));
    await expect(clientOn(refused.fetch).workspaces.delete('w')).rejects.toBeInstanceOf(Commonplace.NotFoundError);
  });

  test('is the only thing of which "not found" is believed', async () => {
    const { fetch } = stubFetch(reset(), failure(404));
    await expect(clientOn(fetch).agents.delete('a')).rejects.toBeInstanceOf(Commonplace.NotFoundError);
  });
});

describe('an end in time', () => {
  test('a try that takes longer than timeoutMs is given up, and tried again', async () => {
    const { fetch, sent } = stubFetch(never, json(agent));
    expect(await clientOn(fetch).agents.get('a', { timeoutMs: 1 })).toEqual(agent);
    expect(sent).toHaveLength(2);
    const silent = stubFetch(never);
    const error = await clientOn(silent.fetch, { timeoutMs: 1, maxRetries: 1 })
      .me.get()
      .catch((caught) => caught);
    expect(error).toBeInstanceOf(Commonplace.APIConnectionTimeoutError);
    expect(error).toBeInstanceOf(Commonplace.APIConnectionError);
    expect(silent.sent).toHaveLength(2);
  });

  test.for([Number.POSITIVE_INFINITY, 2 ** 31])('a timeoutMs of %d is as long as a timer can be', async (timeoutMs) => {
    const { fetch } = stubFetch(async (_, signal) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      signal.throwIfAborted();
      return json({ ok: true });
    });
    await expect(new Commonplace({ apiKey: 'cpu_1', fetch, timeoutMs, maxRetries: 0 }).me.get()).resolves.toEqual({ ok: true });
  });

  test('what a callback of progress throws is thrown as it is, and nothing is sent again', async () => {
    const { fetch, sent } = stubFetch(async (request) => {
      for await (const _ of request.body as AsyncIterable<Uint8Array>);
      return json({});
    });
    const own = new Error('The bar is gone');
    const onProgress = ({ sentBytes }: { sentBytes: number }) => {
      if (sentBytes > 0) throw own;
    };
    await expect(clientOn(fetch).documents.upload(new Blob(['x']), { filename: 'a.md', onProgress })).rejects.toBe(own);
    expect(sent).toHaveLength(1);
  });

  test('a signal ends a request, and no other try follows', async () => {
    const controller = new AbortController();
    const { fetch, sent } = stubFetch((request, signal) => {
      queueMicrotask(() => controller.abort('enough'));
      return never(request, signal);
    });
    const error = await clientOn(fetch)
      .me.get({ signal: controller.signal })
      .catch((caught) => caught);
    expect(error).toBeInstanceOf(Commonplace.APIUserAbortError);
    expect(error.cause).toBe('enough');
    expect(sent).toHaveLength(1);
  });

  test('a signal ends the wait between tries', async () => {
    const controller = new AbortController();
    const { fetch, sent } = stubFetch(() => {
      setTimeout(() => controller.abort());
      return failure(503, { 'retry-after': '59' });
    });
    await expect(clientOn(fetch).me.get({ signal: controller.signal })).rejects.toBeInstanceOf(Commonplace.APIUserAbortError);
    expect(sent).toHaveLength(1);
  });

  test('a signal that was aborted before sends nothing', async () => {
    const { fetch, sent } = stubFetch(json(agent));
    await expect(clientOn(fetch).me.get({ signal: AbortSignal.abort() })).rejects.toBeInstanceOf(Commonplace.APIUserAbortError);
    expect(sent).toHaveLength(0);
  });
});

describe('what is sent', () => {
  test('the key, the version, and headers of one’s own', async () => {
    const { fetch, sent } = stubFetch(json(agent));
    await clientOn(fetch, { defaultHeaders: { 'X-Team': 'support', 'X-Request-Id': 'always' } }).agents.get('a', {
      headers: { 'X-Request-Id': 'this-once' },
    });
    expect(sent[0]?.headers).toEqual({
      accept: 'application/json',
      'user-agent': expect.stringMatching(/^commonplace-client\/\d+\.\d+\.\d+$/),
      'x-access-key': 'cpa_secret',
      'x-team': 'support',
      'x-request-id': 'this-once',
    });
  });

  test.for(['', '.', '..'])('no id is “%s”: that would name another resource', async (id) => {
    const { fetch, sent } = stubFetch(json(agent));
    await expect(clientOn(fetch).agents.delete(id)).rejects.toThrow('agentId is required');
    expect(sent).toHaveLength(0);
  });

  test.for([
    ['a/b', 'a%2Fb'],
    ['../..', '..%2F..'],
    ['a?b#c', 'a%3Fb%23c'],
    ['%2e%2e', '%252e%252e'],
  ])('the id “%s” stays one segment of the path', async ([id, segment]) => {
    const { fetch, sent } = stubFetch(json(agent));
    await clientOn(fetch).agents.get(id as string);
    expect(sent[0]?.url.pathname).toBe(`/api/v1/workspaces/w/agents/${segment}`);
  });

  test('labels as keys of the query, but none that means something else there', async () => {
    const { fetch, sent } = stubFetch(json({ sessions: [], _meta: { limit: 1, offset: 0, total: 0 } }));
    await clientOn(fetch).sessions.list('a', { labels: { user: '42', ['__proto__']: 'x' }, limit: 10 });
    expect(sent[0]?.url.search).toBe('?user=42&__proto__=x&limit=10');
    expect(() => clientOn(fetch).sessions.list('a', { labels: { limit: '42' } })).toThrow('A label called limit');
  });

  test('a filter on meta as JSON', async () => {
    const page = { memories: [], messages: [], _meta: { limit: 1, offset: 0, total: 0 } };
    const { fetch, sent } = stubFetch(json(page), json(page), json(page));
    const where = { topic: 'a&b', priority: [1, null] };
    const { memories, messages } = clientOn(fetch);
    await messages.list('a', 's', { where, limit: 10 });
    await memories.list('a', 's', { where });
    await memories.listAgent('a', { where, labels: { user: '42' } });
    expect(sent.map(({ url }) => JSON.parse(url.searchParams.get('where') ?? ''))).toEqual([where, where, where]);
    expect(() => memories.listAgent('a', { labels: { where: '42' } })).toThrow('A label called where');
  });
});

describe('fetch', () => {
  test('is given what a runtime adds to it, and nothing in place of what the client says', async () => {
    const given: RequestInit[] = [];
    const fetch = async (_: unknown, init?: RequestInit) => {
      given.push(init ?? {});
      return json(agent);
    };
    const dispatcher = {};
    const client = clientOn(fetch, { fetchOptions: { dispatcher, cache: 'no-store', redirect: 'follow', method: 'PUT' } });
    await client.agents.get('a');
    expect(given).toMatchObject([{ dispatcher, cache: 'no-store', redirect: 'manual', method: 'GET' }]);
  });
});

describe('nothing prints a key', () => {
  test('neither the client, nor an error, nor the log', async () => {
    const lines: string[] = [];
    const log = (line: string) => lines.push(line);
    const { fetch } = stubFetch(reset(), failure(401));
    const client = clientOn(fetch, {
      logger: { debug: log, warn: log },
      logLevel: 'debug',
      defaultHeaders: { authorization: 'cpa_secret' },
    });
    const error = await client.me.invites.accept('cpi_secret').catch((caught) => caught);
    const options = { depth: 20, showHidden: true } as const;
    for (const thing of [client, client.agent('support'), client.workspace('w'), error]) {
      expect(inspect(thing, options)).not.toMatch(/cp[ai]_secret/);
      expect(JSON.stringify(thing)).not.toMatch(/cp[ai]_secret/);
    }
    expect(lines).toEqual([
      'POST /invites/{token}/accept: No answer from http://service.test/api/v1: ECONNRESET; again in 0 ms',
      'POST /invites/{token}/accept: 401',
    ]);
  });
});
