/** What is refused at /mcp, what it costs, and what many at once may do. */
import { Readable } from 'node:stream';
import { pino } from 'pino';
import { describe, expect } from 'vitest';
import { openApi, TestApi, test } from '../../test/api.ts';
import { call, message, post } from '../../test/mcp-rpc.ts';
import { createApp } from '../app.ts';
import type { Clock } from '../clock.ts';
import { readConfig } from '../config.ts';

async function newScope(api: TestApi, session = 'chat-1') {
  const agent = await api.newAgent();
  const headers = { ...agent.runtime.headers, 'x-workspace-id': agent.workspace.id, 'x-agent-id': agent.id, 'x-session-id': session };
  return { agent, headers };
}

describe('the transport', () => {
  test('keeps no sessions and no streams', async ({ api }) => {
    const { headers } = await newScope(api);
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'] as const) {
      const { status, headers: answered, body } = await post(api, headers, undefined, method);
      expect([method, status, answered.allow, body.error.code]).toEqual([method, 405, 'POST', -32000]);
    }
    const listen = message('subscriptions/listen', { notifications: { toolsListChanged: true } });
    expect(await post(api, headers, listen)).toMatchObject({ status: 404, body: { id: 1, error: { code: -32601 } } });
  });

  test('says what to send where there is no credential or no workspace', async ({ api }) => {
    const { agent, headers } = await newScope(api);
    const none = await post(api, {}, message('tools/list'));
    expect(none).toMatchObject({
      status: 401,
      body: {
        id: null,
        error: { message: 'Not authenticated. Send an access key in the header X-Access-Key, or as Authorization: Bearer' },
      },
    });
    expect(none.headers['www-authenticate']).toBe('Bearer realm="commonplace"');
    for (const authorization of ['Bearer', 'Bearer nonsense', 'Basic YTpi', 'Bearer cpa_1234']) {
      expect((await post(api, { authorization }, message('tools/list'))).status).toBe(401);
    }
    const user = await post(api, agent.workspace.owner.headers, message('tools/list'));
    expect(user).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining('X-Workspace-Id is required') } } });
    for (const id of ['nonsense', '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c11', '\xff']) {
      for (const credential of [agent.runtime.headers, agent.workspace.owner.headers]) {
        const answer = await post(api, { ...credential, 'x-workspace-id': id }, message('tools/list'));
        expect(answer).toMatchObject({ status: 404, body: { error: { message: expect.stringContaining('X-Workspace-Id') } } });
      }
    }
    expect((await post(api, { ...headers, 'x-workspace-id': agent.workspace.id.toUpperCase() }, message('tools/list'))).status).toBe(200);
  });

  test('a session that add_memory makes has the labels of X-Session-Labels, so its person is known', async ({ api }) => {
    const { agent, headers } = await newScope(api);
    await agent.workspace.owner.put(agent.url, { configs: { memorySubject: 'user' } });
    const send = async (labels: string, name: string, given: object) =>
      (await post(api, { ...headers, 'x-session-labels': labels }, call(name, given))).body.result;
    const tooLong = await send(`user=${'x'.repeat(256)}`, 'add_memory', { content: 'x' });
    expect(tooLong).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('255 characters') }] });
    expect(await send('user=42&about=a%26b', 'add_memory', { content: 'User owns a boat' })).not.toHaveProperty('isError');
    const { body } = await agent.runtime.get(`${agent.url}/sessions`);
    expect(body.sessions).toMatchObject([{ externalId: 'chat-1', labels: { user: '42', about: 'a&b' } }]);
    const { structuredContent } = await send('user=43', 'recall', { query: 'boat' });
    expect(structuredContent.results, 'a session that is there keeps its labels').toMatchObject([{ text: 'User owns a boat' }]);
  });

  test('`where` narrows what is listed, searched and recalled, and a wrong one is refused', async ({ api }) => {
    const { agent, headers } = await newScope(api);
    await agent.workspace.owner.put(agent.url, { configs: { memorySubject: 'user' } });
    const send = async (name: string, given: object) =>
      (await post(api, { ...headers, 'x-session-labels': 'user=42' }, call(name, given))).body.result;
    for (const topic of ['sea', 'land']) await send('add_memory', { content: `User owns a ${topic} boat`, metadata: { topic } });
    const [where, tooMany] = [{ topic: 'sea' }, { topic: [] }];
    const listed = await send('get_memories', { where });
    expect(listed.structuredContent).toMatchObject({ total: 1, memories: [{ content: 'User owns a sea boat' }] });
    for (const name of ['search_memories', 'recall']) {
      const { structuredContent } = await send(name, { query: 'boat', where });
      expect(structuredContent.results, name).toMatchObject([{ text: 'User owns a sea boat' }]);
    }
    for (const name of ['get_memories', 'search_memories', 'recall'])
      expect(await send(name, { query: 'boat', where: tooMany }), name).toMatchObject({ isError: true });
  });

  test('a label that is named like a property of every object names nobody where the session has none', async ({ api }) => {
    const { agent, headers } = await newScope(api);
    for (const memorySubject of ['constructor', '__proto__']) {
      await agent.workspace.owner.put(agent.url, { configs: { memorySubject } });
      await post(api, headers, call('add_memory', { content: 'Ann has diabetes' }));
      const { body } = await post(api, headers, call('recall', { query: 'diabetes' }));
      expect(body.result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(`no label "${memorySubject}"`) }] });
    }
  });

  test('says which header is missing where a tool needs it', async ({ api }) => {
    const { headers } = await newScope(api);
    const { 'x-agent-id': _agent, ...noAgent } = headers;
    const { 'x-session-id': _session, ...noSession } = headers;
    const complaint = async (sent: Record<string, string>, name: string, given: object) =>
      (await post(api, sent, call(name, given))).body.result.content[0].text;
    expect(await complaint(noAgent, 'get_memories', {})).toContain('X-Agent-Id');
    expect(await complaint(noSession, 'get_memories', {})).toContain('X-Session-Id');
    expect(await complaint(noSession, 'add_memory', { content: 'x' })).toContain('X-Session-Id');
    expect(await complaint({ ...headers, 'x-agent-id': 'nonsense' }, 'add_memory', { content: 'x' })).toMatch(
      /^Agent not found: .*X-Agent-Id/,
    );
    expect(await complaint(noAgent, 'get_prompt', {})).toContain('Name is required');
    const { body } = await post(api, noAgent, call('search_knowledge', { query: 'x' }));
    expect(body.result.structuredContent).toEqual({ results: [] });
  });

  test('refuses pages of other origins, whatever host they took it for', async () => {
    const { api, close } = await openApi({
      COMMONPLACE_CORS_ORIGINS: 'https://app.example',
      COMMONPLACE_PUBLIC_URL: 'https://notes.example',
    });
    const { headers } = await newScope(api);
    const statusFrom = async (origin: string, host = 'notes.example') =>
      (await post(api, { ...headers, origin, host }, message('tools/list'))).status;
    expect(await statusFrom('https://notes.example')).toBe(200);
    expect(await statusFrom('https://app.example')).toBe(200);
    for (const origin of ['https://evil.example', 'http://notes.example', 'null']) expect(await statusFrom(origin)).toBe(403);
    // A name that was pointed at this machine: Host and Origin agree.
    expect(await statusFrom('http://evil.example:8080', 'evil.example:8080')).toBe(403);
    const preflight = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
    const { status, headers: answered } = await post(api, preflight, undefined, 'OPTIONS');
    expect(status).toBe(204);
    for (const header of [
      'Authorization',
      'X-Workspace-Id',
      'X-Agent-Id',
      'X-Session-Id',
      'MCP-Protocol-Version',
      'Mcp-Method',
      'Mcp-Name',
    ])
      expect(answered['access-control-allow-headers']).toContain(header);
    await close();
  });

  test('answers what is no message with a JSON-RPC error', async ({ api }) => {
    const { headers } = await newScope(api);
    const refused = async (payload: unknown, more: Record<string, string> = {}) => {
      const { status, body } = await post(api, { ...headers, ...more }, payload);
      return [status, body.error.code];
    };
    expect(await refused('{"jsonrpc":')).toEqual([400, -32700]);
    expect(await refused('')).toEqual([400, -32600]);
    for (const payload of ['null', '7', '"text"', '{}', '[]', '{"jsonrpc":"1.0","id":1,"method":"ping"}', '{"jsonrpc":"2.0","id":1}']) {
      expect([payload, ...(await refused(payload))]).toEqual([payload, 400, expect.any(Number)]);
    }
    expect(await refused(message('tools/list'), { 'content-type': 'text/plain' })).toEqual([415, -32600]);
    expect(await refused(message('tools/list'), { 'content-type': 'multipart/form-data; boundary=x' })).toEqual([415, -32600]);
    expect(await refused(message('tools/list'), { 'mcp-protocol-version': '1999-01-01' })).toEqual([400, -32000]);
    expect((await refused(message('tools/list'), { accept: 'text/html' }))[0]).toBe(406);
    for (const accept of ['*/*', 'application/json', 'text/html, application/json;q=0.9'])
      expect([accept, (await post(api, { ...headers, accept }, message('tools/list'))).status]).toEqual([accept, 200]);
    expect((await refused('['.repeat(5000)))[0]).toBe(400);
    const unknown = await post(api, headers, message('nonsense/method'));
    expect(unknown.body.error.code).toBe(-32601);
  });

  test('takes small batches of the versions that have them, one after the other', async ({ api }) => {
    const { headers } = await newScope(api);
    const version = (name: string) => ({ ...headers, 'mcp-protocol-version': name });
    const batch = [
      call('add_memory', { content: 'One' }, 1),
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
      message('ping', {}, 'p'),
    ];
    const { status, body } = await post(api, version('2025-03-26'), batch);
    expect([status, body.map(({ id, result }: { id: unknown; result: unknown }) => [id, result !== undefined])]).toEqual([
      200,
      [
        [1, true],
        ['p', true],
      ],
    ]);
    expect((await post(api, headers, [{ jsonrpc: '2.0', method: 'notifications/initialized' }])).status).toBe(202);
    for (const later of ['2025-06-18', '2025-11-25']) expect((await post(api, version(later), batch)).status).toBe(400);
    const many = Array.from({ length: 11 }, (_, id) => message('ping', {}, id));
    const [broken] = (await post(api, headers, [{}])).body;
    expect(broken).toMatchObject({ id: null, error: { code: -32600 } });
    expect((await post(api, headers, many)).body.error.message).toBe('A batch has 1 to 10 messages');
  });
});

describe('tools', () => {
  test('one that there is not, and arguments that are none', async ({ api }) => {
    const { headers } = await newScope(api);
    for (const name of ['nonsense', '__proto__', 'x'.repeat(100_000)]) {
      const { body } = await post(api, headers, call(name));
      expect(body.error).toMatchObject({ code: -32602, message: expect.stringMatching(/^There is no tool "/) });
      expect(body.error.message.length).toBeLessThan(200);
    }
    const given = [
      { content: 7 },
      { content: null },
      { content: 'x', metadata: [] },
      { content: '\0' },
      { content: '\ud800' },
      { kind: {} },
    ];
    for (const one of given) {
      const { body } = await post(api, headers, call('add_memory', one));
      expect([one, body.result?.isError]).toEqual([one, true]);
    }
  });

  test('the largest memory is kept, a larger one and a larger body are refused', async ({ api }) => {
    const { headers } = await newScope(api);
    const largest = await post(api, headers, call('add_memory', { content: 'x'.repeat(1_000_000) }));
    expect(largest.body.result.structuredContent.content).toHaveLength(1_000_000);
    // Six bytes of JSON for each of them, and twelve in the text of the result.
    const escaped = await post(api, headers, call('add_memory', { content: '\u0001'.repeat(1_000_000) }));
    expect(escaped.body.result.structuredContent.content).toHaveLength(1_000_000);
    const larger = await post(api, headers, call('add_memory', { content: 'x'.repeat(1_000_001) }));
    expect(larger.body.result).toEqual({ isError: true, content: [{ type: 'text', text: 'Content must not exceed 1 MB.' }] });
    const metadata = { text: 'x'.repeat(70_000) };
    expect((await post(api, headers, call('add_memory', { content: 'x', metadata }))).body.result.content[0].text).toMatch(
      /^Meta must not/,
    );
    const body = await post(api, headers, call('add_memory', { content: 'x'.repeat(11 * 1024 * 1024) }));
    expect(body).toMatchObject({ status: 413, body: { error: { code: -32600, message: 'Body must not exceed 10 MiB' } } });
    for (let index = 0; index < 5; index++) await post(api, headers, call('add_memory', { content: `${index}`.repeat(1_000_000) }));
    const list = await post(api, headers, call('get_memories'));
    const { isError, content } = list.body.result;
    expect([isError, content[0].text.slice(0, 200)]).toEqual([true, expect.stringMatching(/too large .*Ask for less at a time/)]);
    expect((await post(api, headers, call('get_memories', { limit: 2 }))).body.result.structuredContent.memories).toHaveLength(2);
  });

  test('a body without a length ends where it is too large', async ({ api }) => {
    const { headers } = await newScope(api);
    const chunks = Array.from({ length: 12 }, () => Buffer.alloc(1024 * 1024, 'x'));
    const answer = await api.app.server.inject({
      method: 'POST',
      url: '/mcp',
      headers: { ...headers, 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
      payload: Readable.from(chunks),
    });
    expect(answer.statusCode).toBe(413);
  });

  test('hundreds at once make one session, and none waits for itself', async ({ api }) => {
    const { agent, headers } = await newScope(api);
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, index) => post(api, headers, call('add_memory', { content: `Memory ${index}` }, index))),
    );
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.result?.isError ?? false}`))).toEqual(new Set(['200 false']));
    expect((await agent.runtime.get(`${agent.url}/sessions`)).body._meta.total).toBe(1);
    expect((await post(api, headers, call('get_memories', { limit: 1 }))).body.result.structuredContent.total).toBe(300);
    // Every place is free again.
    expect(api.app.api.limits.gauges()).toMatchObject({ in_flight: 0, waiting: 0 });
  });

  test('an Idempotency-Key makes one memory of a message that came twice', async ({ api }) => {
    const { headers } = await newScope(api);
    const twice = { ...headers, 'idempotency-key': 'once' };
    const [first, second] = [
      await post(api, twice, call('add_memory', { content: 'One' })),
      await post(api, twice, call('add_memory', { content: 'One' })),
    ];
    expect(second.body.result.structuredContent).toEqual(first.body.result.structuredContent);
    expect((await post(api, headers, call('get_memories'))).body.result.structuredContent.total).toBe(1);
    const other = await post(api, twice, call('add_memory', { content: 'Other' }));
    expect(other.body.result.isError).toBe(true);
  });

  test('a key that may write memories and make no session is told so', async ({ api }) => {
    const { agent, headers } = await newScope(api);
    const key = await api.newAccessKey(agent.workspace, ['CAN_CREATE_SESSION_MEMORY']);
    const { body } = await post(api, { ...headers, ...key.headers }, call('add_memory', { content: 'x' }));
    expect(body.result.content[0].text).toBe(
      'Session "chat-1" is not there, and this key may not make it: Missing permission CAN_CREATE_AGENT_SESSION.',
    );
  });

  test('what is another tenant’s is not found', async ({ api }) => {
    const { agent, headers } = await newScope(api);
    const other = await newScope(api);
    const { id } = (await post(api, other.headers, call('add_memory', { content: 'Theirs' }))).body.result.structuredContent;
    await post(api, headers, call('add_memory', { content: 'Ours' }));
    await api.newPrompt(other.agent.workspace, { name: 'Theirs' });
    const complaint = async (name: string, given: object, more = {}) =>
      (await post(api, { ...headers, ...more }, call(name, given))).body.result.content[0].text;
    for (const name of ['get_memory', 'update_memory', 'delete_memory'])
      expect(await complaint(name, { memory_id: id, content: 'x' })).toBe('Memory not found.');
    expect(await complaint('get_prompt', { name: 'Theirs' })).toBe('Prompt not found.');
    expect(await complaint('get_memories', {}, { 'x-agent-id': other.agent.id })).toMatch(/^Agent not found/);
    expect(await complaint('add_memory', { content: 'x' }, { 'x-agent-id': other.agent.id, 'x-session-id': 'new' })).toMatch(
      /^Agent not found/,
    );
    const door = await post(api, { ...headers, 'x-workspace-id': other.agent.workspace.id }, call('get_memories'));
    expect([door.status, agent.workspace.id === other.agent.workspace.id]).toEqual([404, false]);
  });

  test('what was deleted is refused from the next message on', async ({ api }) => {
    const { agent } = await newScope(api);
    const key = await api.newAccessKey(agent.workspace);
    expect((await post(api, key.headers, message('ping'))).status).toBe(200);
    await agent.workspace.owner.delete(`${agent.workspace.url}/keys/${key.keyId}`);
    expect((await post(api, key.headers, message('ping'))).status).toBe(401);
  });
});

/** Time stands still, so that nothing is refilled behind the test’s back. */
class StoppedClock implements Clock {
  readonly #nowMs = Date.now();
  #monotonicMs = 0;
  nowMs(): number {
    return this.#nowMs;
  }
  monotonicMs(): number {
    return this.#monotonicMs;
  }
  advance(ms: number): void {
    this.#monotonicMs += ms;
  }
}

test('the rate of a caller is one for messages and for the routes that they call', async ({ api }) => {
  const { agent, headers } = await newScope(api);
  const clock = new StoppedClock();
  const app = await createApp(readConfig({ COMMONPLACE_RATE_LIMIT: '10' }), api.db, pino({ level: 'silent' }), clock);
  const limited = new TestApi(app, api.db, api.clock);
  const leftAfter = async (sent: object) => Number((await post(limited, headers, sent)).headers['ratelimit-remaining']);
  expect(await leftAfter(message('ping'))).toBe(9);
  expect(await leftAfter(call('add_memory', { content: 'One' }))).toBe(8);
  // That made a session and a memory.
  expect(await leftAfter(message('ping'))).toBe(5);
  expect((await limited.client(agent.runtime.headers).get(agent.url)).headers['ratelimit-remaining']).toBe('4');
  for (let left = 3; left >= 0; left--) expect(await leftAfter(message('ping'))).toBe(left);
  const spent = await post(limited, headers, message('ping'));
  expect(spent).toMatchObject({ status: 429, headers: { 'retry-after': '1' }, body: { error: { message: 'Too many requests' } } });
  clock.advance(100);
  // Room for the message, and none for the route.
  const halfway = await post(limited, headers, call('get_memories'));
  expect(halfway.body.result).toEqual({ isError: true, content: [{ type: 'text', text: 'Too many requests. Try again in 1 s.' }] });
  await app.close();
});
