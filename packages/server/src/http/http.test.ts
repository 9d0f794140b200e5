/** The rules that hold for every request, whatever the route. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { type Answer, openApi, type TestApi, test } from '../../test/api.ts';
import { pathOf, titleOf } from '../../test/matrix-paths.ts';
import { newId } from '../db/ids.ts';
import { sql } from '../db/sql.ts';
import { paramNamesOf } from './route.ts';

const MADE_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const MEBIBYTE = 1024 * 1024;

const failure = (status: number, errorMessage: string) => ({ status, body: { errorMessage } });

describe('unknown routes and methods', () => {
  test.for(['/nothing', '/api', '/api/v1', '/api/v1/nothing', '/api/v2/me', '/API/V1/me', '/api/v1/Me', '/api/v1//me', '/v1/me'])(
    '%s is 404 in JSON',
    async (url, { api }) => {
      const answer = await api.app.server.inject({ method: 'GET', url });
      expect(answer.statusCode).toBe(404);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(answer.json()).toEqual({ errorMessage: 'Route not found', code: 'not_found', requestId: answer.headers['x-request-id'] });
    },
  );

  test('a trailing slash is another path, and nothing redirects', async ({ api }) => {
    const { client } = await api.newUser();
    for (const route of api.app.api.routes) {
      const answer = await client.send(route.method, `${pathOf(route)}/`);
      expect([titleOf(route), answer.status, answer.headers.location]).toEqual([titleOf(route), 404, undefined]);
    }
  });

  test('every other method on a known path is 405 and names those allowed', async ({ api }) => {
    const { client } = await api.newUser();
    const methodsByPath = new Map<string, Set<string>>();
    for (const { method, path } of api.app.api.routes) {
      const shape = path.replace(/:(?!workspaceId)\w+/g, ':anyId');
      methodsByPath.set(shape, (methodsByPath.get(shape) ?? new Set()).add(method));
      if (method === 'GET') methodsByPath.get(shape)?.add('HEAD');
    }
    for (const [path, methods] of methodsByPath) {
      const url = path.replace(/:\w+/g, () => newId());
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'].filter((candidate) => !methods.has(candidate))) {
        const answer = await client.send(method, url);
        const allowed = String(answer.headers.allow).split(', ').sort();
        expect([method, path, answer.status, allowed]).toEqual([method, path, 405, [...methods].sort()]);
        expect(answer.body).toMatchObject({
          errorMessage: expect.stringContaining(`Method ${method} is not allowed`),
          code: 'method_not_allowed',
        });
      }
    }
    expect(methodsByPath.size).toBeGreaterThan(20);
  });

  test('405 comes before 401 and before the body is looked at', async ({ api }) => {
    expect(await api.anonymous.send('PATCH', '/workspaces', '{broken', { 'content-type': 'application/json' })).toMatchObject({
      status: 405,
    });
  });
});

describe('request ids', () => {
  test.for(['a', 'abc-123_X.y:z/+=', 'x'.repeat(128), '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c11'])('%s is echoed', async (sent, { api }) => {
    const answer = await api.anonymous.get('/_health', { 'x-request-id': sent });
    expect(answer.headers['x-request-id']).toBe(sent);
  });

  test.for(['', ' ', 'two words', 'x'.repeat(129), '<script>', 'é', 'a,b', '"'])(
    '“%s” is not sane, and one is made instead',
    async (sent, { api }) => {
      const answer = await api.anonymous.get('/_health', { 'x-request-id': sent });
      expect(answer.headers['x-request-id']).toMatch(MADE_ID);
    },
  );

  test('each request has its own, failures have it in their body too', async ({ api }) => {
    const answers: Answer[] = [];
    for (const path of ['/_health', '/_health', '/me', '/nothing']) answers.push(await api.anonymous.get(path));
    answers.push(await api.anonymous.send('PATCH', '/me'), await api.anonymous.get('/%zz'));
    const ids = answers.map(({ headers }) => headers['x-request-id']);
    for (const id of ids) expect(id).toMatch(MADE_ID);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { status, body, headers } of answers) if (status >= 400) expect(body.requestId).toBe(headers['x-request-id']);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 404, 405, 400]);
  });

  test('it is what the audit log names', async ({ api }) => {
    const { owner, url } = await api.newWorkspace();
    await owner.put(url, { name: 'Renamed' }, { 'x-request-id': 'my-own-id' });
    expect((await owner.get(`${url}/audits`)).body.audits[0]).toMatchObject({ action: 'workspace.update', requestId: 'my-own-id' });
  });
});

describe('ids and times', () => {
  test('ids are UUIDs of version 7, times are UTC with milliseconds', async ({ api }) => {
    const { client } = await api.newUser();
    const { body } = await client.post('/workspaces', { name: 'Ids and times' });
    expect(body.id).toMatch(MADE_ID);
    expect(body.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test('a malformed id is 404, never 400 or 500', async ({ api }) => {
    const workspace = await api.newWorkspace();
    for (const route of api.app.api.routes.filter(({ path, body }) => path.includes(':') && !body)) {
      for (const name of paramNamesOf(route.path)) {
        for (const bad of ['x', '0', "' or 1=1 --", `${newId()}0`, newId().replaceAll('-', ''), '../me', '\0', '😀', 'x'.repeat(1500)]) {
          const answer = await workspace.owner.send(route.method, pathOf(route, { workspaceId: workspace.id, [name]: bad }));
          expect([titleOf(route), name, bad, answer.status]).toEqual([titleOf(route), name, bad, 404]);
        }
      }
    }
  });

  test('ids compare without case', async ({ api }) => {
    const { owner, id } = await api.newWorkspace();
    expect(await owner.get(`/workspaces/${id.toUpperCase()}`)).toMatchObject({ status: 200, body: { id } });
  });
});

describe('order of checks', () => {
  test('401, 404 of the workspace, 403, 400, 404 of the item', async ({ api }) => {
    const workspace = await api.newWorkspace();
    const readonly = await api.newMember(workspace, 'readonly');
    const stranger = await api.newUser();
    const path = `${workspace.url}/members/${newId()}`;
    expect(await api.anonymous.put(path, {})).toMatchObject(failure(401, 'Not authenticated.'));
    expect(await stranger.client.put(path, {})).toMatchObject(failure(404, 'Workspace not found'));
    expect(await readonly.client.put(path, {})).toMatchObject(failure(403, 'Missing permission CAN_UPDATE_MEMBER_ROLE'));
    expect(await workspace.owner.put(path, {})).toMatchObject(failure(400, 'Role is required'));
    expect(await workspace.owner.put(path, { role: 'admin' })).toMatchObject(failure(404, 'Member not found'));
  });

  test('a body that can’t be read is looked at after access', async ({ api }) => {
    const { url, owner } = await api.newWorkspace();
    const broken = { 'content-type': 'application/json' };
    expect((await api.anonymous.send('PUT', url, '{broken', broken)).status).toBe(401);
    expect((await (await api.newUser()).client.send('PUT', url, '{broken', broken)).status).toBe(404);
    expect((await owner.send('PUT', url, '{broken', broken)).status).toBe(400);
  });
});

describe('pages', () => {
  async function threeWorkspaces(api: TestApi) {
    const { client } = await api.newUser();
    const ids: string[] = [];
    for (const name of ['One', 'Two', 'Three']) ids.unshift((await client.post('/workspaces', { name })).body.id);
    return { client, ids };
  }

  test.for([
    ['', { limit: 50, offset: 0 }, [0, 1, 2]],
    ['?limit=', { limit: 50, offset: 0 }, [0, 1, 2]],
    ['?limit=0', { limit: 50, offset: 0 }, [0, 1, 2]],
    ['?offset=', { limit: 50, offset: 0 }, [0, 1, 2]],
    ['?limit=&offset=', { limit: 50, offset: 0 }, [0, 1, 2]],
    ['?limit=1', { limit: 1, offset: 0 }, [0]],
    ['?limit=2&offset=1', { limit: 2, offset: 1 }, [1, 2]],
    ['?limit=100', { limit: 100, offset: 0 }, [0, 1, 2]],
    ['?offset=3', { limit: 50, offset: 3 }, []],
    ['?offset=1000000', { limit: 50, offset: 1_000_000 }, []],
    ['?unknown=1', { limit: 50, offset: 0 }, [0, 1, 2]],
  ] as const)('“%s” is %o', async ([query, meta, indexes], { api }) => {
    const { client, ids } = await threeWorkspaces(api);
    const { status, body } = await client.get(`/workspaces${query}`);
    expect(status).toBe(200);
    expect(body._meta).toMatchObject({ ...meta, total: 3 });
    expect(body.workspaces.map(({ id }: { id: string }) => id)).toEqual(indexes.map((index) => ids[index]));
  });

  const badLimit = 'Limit must be a whole number from 1 to 100';
  const badOffset = 'Offset must be a whole number of 0 or more';
  test.for([
    ...['101', '-1', '1.5', '1e3', '0x10', 'NaN', 'abc', '%20', '+1', '99999999999999999999', '١', '1&limit=2', '00000000000000000001'].map(
      (value) => [`limit=${value}`, badLimit] as const,
    ),
    ...['-1', '1.5', '1e3', 'NaN', 'null', '99999999999999999999', '1&offset=1'].map((value) => [`offset=${value}`, badOffset] as const),
  ])('%s is 400', async ([query, text], { api }) => {
    const { client } = await api.newUser();
    expect(await client.get(`/workspaces?${query}`)).toMatchObject(failure(400, text));
  });

  test('every list keeps these rules', async ({ api }) => {
    const workspace = await api.newWorkspace();
    const lists = api.app.api.routes.filter(
      ({ method, path }) => method === 'GET' && /s$/.test(path) && !/status|stats|by-labels/.test(path),
    );
    expect(lists.length).toBeGreaterThan(5);
    for (const route of lists.filter(({ path }) => paramNamesOf(path).every((name) => name === 'workspaceId'))) {
      const path = pathOf(route, { workspaceId: workspace.id });
      const { status, body } = await workspace.owner.get(`${path}?limit=0&offset=`);
      expect([route.path, status, body._meta?.limit, body._meta?.offset]).toEqual([route.path, 200, 50, 0]);
      expect(body._meta.total).toBeTypeOf('number');
      const [key, ...others] = Object.keys(body).filter((name) => name !== '_meta');
      // Jobs are many and short-lived: their list says how many there are of each kind of state, too.
      const beside = route.name === 'listJobs' ? ['counts'] : [];
      expect([route.path, Array.isArray(body[key as string]), others]).toEqual([route.path, true, beside]);
      expect(await workspace.owner.get(`${path}?limit=101`)).toMatchObject(failure(400, badLimit));
      expect(await workspace.owner.get(`${path}?offset=-1`)).toMatchObject(failure(400, badOffset));
    }
  });
});

describe('bodies', () => {
  test('unknown keys are ignored', async ({ api }) => {
    const { client } = await api.newUser();
    const { status, body } = await client.post('/workspaces', { name: 'Known', unknown: 1, id: newId(), role: 'readonly', handle: 'mine' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: 'Known', role: 'owner' });
    expect(body).not.toHaveProperty('unknown');
    expect(body.handle).not.toBe('mine');
  });

  test('an empty body that is declared as JSON is no body', async ({ api }) => {
    const { owner, url } = await api.newWorkspace();
    const json = { 'content-type': 'application/json' };
    expect(await owner.send('POST', '/workspaces', '', json)).toMatchObject(failure(400, 'Body must be a JSON object'));
    expect((await owner.send('POST', '/auth/logout', '', json)).status).toBe(204);
    expect((await owner.send('DELETE', url, '', json)).status).toBe(204);
  });

  test.for([
    ['no body', undefined, 'Body must be a JSON object'],
    ['null', 'null', 'Body must be a JSON object'],
    ['an array', '[]', 'Body must be a JSON object'],
    ['a string', '"name"', 'Body must be a JSON object'],
  ] as const)('%s is 400', async ([, payload, text], { api }) => {
    const { client } = await api.newUser();
    expect(await client.send('POST', '/workspaces', payload, { 'content-type': 'application/json' })).toMatchObject(failure(400, text));
  });

  test.for(['{', '{"name":"abc"', "{'name':'abc'}", '{"name":"abc",}', '{"name":\u0001}'])(
    '%s is 400 with a text',
    async (payload, { api }) => {
      const { client } = await api.newUser();
      const answer = await client.send('POST', '/workspaces', payload, { 'content-type': 'application/json' });
      expect(answer).toMatchObject({ status: 400, body: { errorMessage: expect.stringMatching(/^[A-Z]/), code: 'bad_request' } });
    },
  );

  test.for(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/xml', ''])(
    'a content type of “%s” is 415',
    async (type, { api }) => {
      const { client } = await api.newUser();
      const answer = await client.send('POST', '/workspaces', '{"name":"abc"}', { 'content-type': type });
      expect(answer).toMatchObject(failure(415, 'Content-Type must be application/json'));
    },
  );

  test('JSON with a charset is JSON', async ({ api }) => {
    const { client } = await api.newUser();
    const type = { 'content-type': 'application/json; charset=utf-8' };
    expect((await client.send('POST', '/workspaces', '{"name":"abc"}', type)).status).toBe(201);
  });

  const bodyOf = (bytes: number) => `{"name":"abc","x":"${'x'.repeat(bytes - '{"name":"abc","x":""}'.length)}"}`;

  test('64 KiB is taken where a name is all there is to say, a byte more is 413', async ({ api }) => {
    const { client } = await api.newUser();
    const json = { 'content-type': 'application/json' };
    expect((await client.send('POST', '/workspaces', bodyOf(MEBIBYTE / 16), json)).status).toBe(201);
    expect(await client.send('POST', '/workspaces', bodyOf(MEBIBYTE / 16 + 1), json)).toMatchObject(
      failure(413, 'Body must not exceed 64 KiB'),
    );
    expect((await client.get('/workspaces')).body._meta.total).toBe(1);
  });

  test('10 MiB is taken where messages come by the hundred, a byte more is 413', async ({ api }) => {
    const { runtime, url } = await api.newSession();
    const json = { 'content-type': 'application/json' };
    const message = JSON.stringify({ role: 'user', content: 'x'.repeat(100_000) });
    const batch = `[${Array(100).fill(message).join(',')}]`;
    const bodyOf = (bytes: number) => {
      const body = `{"messages":${batch},"x":""}`;
      return body.replace(/""}$/, () => `"${'x'.repeat(bytes - body.length)}"}`);
    };
    expect((await runtime.send('POST', `${url}/messages/batch`, bodyOf(10 * MEBIBYTE), json)).status).toBe(201);
    expect(await runtime.send('POST', `${url}/messages/batch`, bodyOf(10 * MEBIBYTE + 1), json)).toMatchObject(
      failure(413, 'Body must not exceed 10 MiB'),
    );
  });

  test('so it is in chunks, whose sum nobody announced', async ({ api }) => {
    const { client } = await api.newUser();
    const chunked = (bytes: number) =>
      client.send('POST', '/workspaces', Readable.from(bodyOf(bytes).match(/.{1,65536}/g) ?? []), { 'content-type': 'application/json' });
    expect((await chunked(MEBIBYTE / 16)).status).toBe(201);
    expect(await chunked(MEBIBYTE / 16 + 1)).toMatchObject(failure(413, 'Body must not exceed 64 KiB'));
  });

  test('and off the wire, before the rest has come', async ({ api }) => {
    const { client } = await api.newUser();
    const { server } = api.app;
    if (!server.server.listening) await server.listen({ host: '127.0.0.1', port: 0 });
    const { port } = server.server.address() as AddressInfo;
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { ...client.headers, 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
      const request = http.request({ port, host: '127.0.0.1', method: 'POST', path: '/api/v1/workspaces', headers }, (response) => {
        resolve(response.statusCode);
        request.destroy();
      });
      request.on('error', reject);
      // Twelve of an endless body: the answer must come without its end.
      for (let sent = 0; sent < 12; sent++) request.write('x'.repeat(MEBIBYTE));
    });
    expect(status).toBe(413);
  });
});

describe('validation', () => {
  test.for([
    [{}, 'Name is required'],
    [{ name: null }, 'Name is required'],
    [{ name: '' }, 'Name is required'],
    [{ name: '   ' }, 'Name is required'],
    [{ name: 'ab' }, 'Name must be at least 3 characters'],
    [{ name: ' ab ' }, 'Name must be at least 3 characters'],
    [{ name: 'x'.repeat(61) }, 'Name must not exceed 60 characters'],
    [{ name: '😀😀' }, 'Name must be at least 3 characters'],
    [{ name: '😀'.repeat(61) }, 'Name must not exceed 60 characters'],
    [{ name: 7 }, 'Name must be a string'],
    [{ name: ['abc'] }, 'Name must be a string'],
    [{ name: 'a\0bc' }, 'Name must not contain NUL or unpaired surrogate characters'],
    [{ name: 'abc\ud800' }, 'Name must not contain NUL or unpaired surrogate characters'],
  ] as const)('a workspace %j: %s', async ([body, text], { api }) => {
    const { client } = await api.newUser();
    const answer = await client.post('/workspaces', body);
    expect(answer).toMatchObject({
      status: 400,
      body: { errorMessage: text, code: 'validation_failed', details: [{ path: 'name', message: text }] },
    });
  });

  test.for(['abc', 'x'.repeat(60), '😀😀😀', '😀'.repeat(60), '  trimmed  ', '日本語', 'עברית', 'a\nb\tc'])(
    '%s is a name',
    async (name, { api }) => {
      const { client } = await api.newUser();
      const created = await client.post('/workspaces', { name });
      expect(created).toMatchObject({ status: 201, body: { name: name.trim() } });
      expect((await client.get(`/workspaces/${created.body.id}`)).body.name).toBe(name.trim());
    },
  );

  test.for([
    [{ permissions: ['CAN_GET_AGENT'] }, ['Name is required']],
    [{ name: 'x' }, ['Permissions is required']],
    [{ name: 'x', permissions: [] }, ['Permissions must have at least 1 item']],
    [{ name: 'x', permissions: ['CAN_GET_AGENT'], expiresAt: 'tomorrow' }, ['Expires at must be a valid date-time']],
    [{ name: 'x', permissions: ['CAN_GET_AGENT'], expiresAt: '2026-02-30T00:00:00Z' }, ['Expires at must be a valid date-time']],
    [{ name: 'x', permissions: ['CAN_GET_AGENT'], expiresAt: '2020-01-01T00:00:00Z' }, ['Expires at must be in the future']],
    [{ name: 'x'.repeat(61), permissions: [] }, ['Name must not exceed 60 characters', 'Permissions must have at least 1 item']],
  ] as const)('an access key %j: %j', async ([body, texts], { api }) => {
    const { owner, url } = await api.newWorkspace();
    const answer = await owner.post(`${url}/keys`, body);
    expect(answer).toMatchObject(failure(400, texts[0] as string));
    expect(answer.body.details.map(({ message }: { message: string }) => message)).toEqual(texts);
  });

  test('a value out of a list names the list', async ({ api }) => {
    const { owner, url } = await api.newWorkspace();
    const path = `${url}/invites`;
    expect(await owner.post(path, { email: 'a@b.c', role: 'boss' })).toMatchObject(
      failure(400, 'Role must be one of: owner admin readonly'),
    );
    expect(await owner.post(path, { email: 'nobody', role: 'admin' })).toMatchObject(failure(400, 'Email must be a valid e-mail address'));
    expect(await owner.post(path, { role: 'admin' })).toMatchObject(failure(400, 'Email is required'));
  });
});

describe('ETag', () => {
  test('what has not changed is 304 with no body', async ({ api }) => {
    const { owner, url } = await api.newWorkspace();
    const first = await owner.get(url);
    const tag = first.headers.etag as string;
    expect(tag).toMatch(/^W\/".+"$/);
    expect(first.headers['cache-control']).toBe('private, no-cache');
    for (const sent of [tag, tag.replace('W/', ''), '*', `"other", ${tag}`, ` ${tag} `]) {
      const again = await owner.get(url, { 'if-none-match': sent });
      expect([sent, again.status, again.text, again.headers.etag]).toEqual([sent, 304, '', tag]);
      expect(again.headers['x-request-id']).toMatch(MADE_ID);
    }
    for (const sent of ['"other"', '', 'W/""']) expect((await owner.get(url, { 'if-none-match': sent })).status).toBe(200);
    await owner.put(url, { name: 'Another name' });
    const changed = await owner.get(url, { 'if-none-match': tag });
    expect(changed.status).toBe(200);
    expect(changed.headers.etag).not.toBe(tag);
  });

  test('failures and changes carry none, and access is checked before 304', async ({ api }) => {
    const { owner, url } = await api.newWorkspace();
    expect((await owner.put(url, { name: 'Changed' })).headers.etag).toBeUndefined();
    expect((await owner.get(`${url}/keys/${newId()}`)).headers.etag).toBeUndefined();
    expect((await api.anonymous.get(url, { 'if-none-match': '*' })).status).toBe(401);
  });
});

describe('compression', () => {
  test('gzip where it is asked for and worth it', async ({ api }) => {
    const { client } = await api.newUser();
    for (let index = 0; index < 30; index++) await client.post('/workspaces', { name: `Número ${index}` });
    const plain = await client.get('/workspaces');
    expect(plain.text.length).toBeGreaterThan(4096);
    expect(plain.headers['content-encoding']).toBeUndefined();
    const options = { method: 'GET', url: '/api/v1/workspaces' } as const;
    const get = (encoding: string) => api.app.server.inject({ ...options, headers: { ...client.headers, 'accept-encoding': encoding } });
    for (const accepted of ['gzip', 'gzip, deflate, br', 'br;q=1.0, gzip;q=0.8', 'GZIP']) {
      const answer = await get(accepted);
      expect([accepted, answer.headers['content-encoding']]).toEqual([accepted, 'gzip']);
      expect(answer.headers.vary).toMatch(/accept-encoding/i);
      expect(gunzipSync(answer.rawPayload).toString()).toBe(plain.text);
      expect(answer.headers.etag).toBe(plain.headers.etag);
    }
    for (const refused of ['identity', 'br', '', 'gzip;q=0', 'deflate, gzip; q=0.0', 'x-gzip-like']) {
      const answer = await get(refused);
      expect([refused, answer.headers['content-encoding']]).toEqual([refused, undefined]);
      expect(answer.body).toBe(plain.text);
    }
    expect((await client.get('/me', { 'accept-encoding': 'gzip' })).headers['content-encoding']).toBeUndefined();
  });
});

describe('security headers', () => {
  const expected = {
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };

  test('are on every answer, and nothing is cached that should not be', async ({ api }) => {
    const { client } = await api.newUser();
    const answers = [
      await client.get('/me'),
      await client.post('/workspaces', { name: 'abc' }),
      await client.post('/workspaces', {}),
      await client.get('/nothing'),
      await client.get('/%zz'),
      await api.anonymous.get('/me'),
      await api.anonymous.send('PATCH', '/me'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 201, 400, 404, 400, 401, 405]);
    for (const { headers } of answers) {
      expect(headers).toMatchObject(expected);
      expect(headers).not.toHaveProperty('strict-transport-security');
      expect(headers).not.toHaveProperty('x-powered-by');
    }
    for (const { headers } of answers.slice(1)) expect(headers['cache-control']).toBe('no-store');
  });

  test('https is to stay https', async () => {
    const { api, close } = await openApi({ COMMONPLACE_PUBLIC_URL: 'https://cp.example' });
    try {
      expect((await api.anonymous.get('/_health')).headers['strict-transport-security']).toBe('max-age=31536000');
    } finally {
      await close();
    }
  });
});

describe('CORS', () => {
  const preflight = {
    origin: 'https://app.example',
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'x-api-key',
  };
  const corsHeaders = ({ headers }: Answer) => Object.keys(headers).filter((name) => name.startsWith('access-control-'));

  test('is off by default', async ({ api }) => {
    const { client } = await api.newUser();
    expect(corsHeaders(await client.get('/me', { origin: 'https://app.example' }))).toEqual([]);
    const answer = await api.anonymous.send('OPTIONS', '/me', undefined, preflight);
    expect(answer.status).toBe(405);
    expect(corsHeaders(answer)).toEqual([]);
  });

  test('is on for the origins that are configured, and for no other', async () => {
    const { api, close } = await openApi({ COMMONPLACE_CORS_ORIGINS: 'https://app.example, https://other.example' });
    try {
      const { client } = await api.newUser();
      const asked = await api.anonymous.send('OPTIONS', '/me', undefined, preflight);
      expect(asked.status).toBe(204);
      expect(asked.headers['access-control-allow-origin']).toBe('https://app.example');
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) expect(asked.headers['access-control-allow-methods']).toContain(method);
      for (const header of ['X-API-Key', 'X-Access-Key', 'Content-Type', 'Idempotency-Key', 'X-Commonplace-Client', 'Last-Event-ID']) {
        expect(asked.headers['access-control-allow-headers']).toContain(header);
      }
      const failures = [
        api.anonymous.get('/me', { origin: 'https://app.example' }),
        client.get('/nothing', { origin: 'https://app.example' }),
      ];
      for (const answer of await Promise.all([client.get('/me', { origin: 'https://app.example' }), ...failures])) {
        expect(answer.headers['access-control-allow-origin']).toBe('https://app.example');
        expect(answer.headers['access-control-expose-headers']).toContain('X-Request-Id');
        expect(answer.headers.vary).toMatch(/origin/i);
        // The cookie is for the dashboard, which is of the same origin.
        expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
      }
      const stranger = await client.get('/me', { origin: 'https://evil.example' });
      expect(stranger.headers['access-control-allow-origin']).not.toBe('https://evil.example');
      expect(stranger.headers['access-control-allow-origin']).not.toBe('*');
      for (let index = 0; index < 30; index++) await client.post('/workspaces', { name: `Number ${index}` });
      const zipped = await client.get('/workspaces', { origin: 'https://app.example', 'accept-encoding': 'gzip' });
      expect(zipped.headers['content-encoding']).toBe('gzip');
      expect(zipped.headers.vary).toMatch(/origin/i);
      expect(zipped.headers.vary).toMatch(/accept-encoding/i);
    } finally {
      await close();
    }
  });
});

describe('health', () => {
  test.for(['/_health', '/public/_health', '/_ready', '/public/_ready'])(
    '%s is exactly {"status":"ok"}, for anyone',
    async (path, { api }) => {
      for (const headers of [{}, { 'x-api-key': 'nonsense' }]) {
        const answer = await api.anonymous.get(path, headers);
        expect([answer.status, answer.text]).toEqual([200, '{"status":"ok"}']);
      }
    },
  );

  test('without its database it is healthy and not ready', async () => {
    const { api, close } = await openApi();
    await api.db.close();
    for (const place of ['', '/public']) {
      expect((await api.anonymous.get(`${place}/_health`)).status).toBe(200);
      const answer = await api.anonymous.get(`${place}/_ready`);
      expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable', errorMessage: expect.stringMatching(/database/) } });
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    await close();
  });
});

describe('faults', () => {
  test('a 500 says nothing of the inside', async () => {
    const { api, close } = await openApi();
    try {
      const { client } = await api.newUser();
      expect((await client.get('/apiKeys')).status).toBe(200);
      await api.db.run(sql`alter table api_keys rename column hint to gone`);
      const answer = await client.get('/apiKeys');
      expect(answer.status).toBe(500);
      expect(answer.body).toEqual({ errorMessage: 'Internal server error', code: 'internal', requestId: answer.headers['x-request-id'] });
    } finally {
      await close();
    }
  });
});

describe('metrics', () => {
  test('count requests by the pattern of their route, never by its path', async ({ api }) => {
    const { owner, url, id } = await api.newWorkspace();
    await owner.get(url);
    await owner.get(`${url}/keys/${newId()}`);
    await owner.get('/nothing-of-the-kind');
    const { body, headers } = await api.app.server.inject('/metrics');
    expect(headers['content-type']).toMatch(/^text\/plain/);
    expect(body).toMatch(/^commonplace_http_requests_total\{method="GET",route="\/api\/v1\/workspaces\/:workspaceId",status="200"\} \d+$/m);
    expect(body).toMatch(
      /^commonplace_http_requests_total\{method="GET",route="\/api\/v1\/workspaces\/:workspaceId\/keys\/:keyId",status="404"\} \d+$/m,
    );
    expect(body).toMatch(
      /^commonplace_http_request_duration_seconds_bucket\{le="[\d.]+",method="GET",route="\/api\/v1\/workspaces\/:workspaceId"\} \d+$/m,
    );
    expect(body).not.toContain(id);
    expect(body).not.toContain('nothing-of-the-kind');
  });
});
