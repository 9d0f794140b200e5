/** MCP sessions by the official client, inside the process: both protocols, both engines. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { InjectOptions } from 'fastify';
import { describe, expect } from 'vitest';
import { type Client as RestClient, type TestApi, test } from '../../test/api.ts';
import { type Ask, connect, type Era, eras, furnishWorkspace, SESSION, use, walkThrough } from '../../test/mcp-session.ts';

function askAs(client: RestClient): Ask {
  return async (method, path, body, headers) => {
    const { status, body: answer, text } = await client.send(method, path, body, headers);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return answer;
  };
}

/** The official transport, whose requests go to the service in this process. */
function transportTo(api: TestApi, headers: Record<string, string>) {
  return new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
    requestInit: { headers },
    fetch: async (url, init) => {
      const answer = await api.app.server.inject({
        method: (init?.method ?? 'GET') as NonNullable<InjectOptions['method']>,
        url: new URL(url).pathname,
        headers: Object.fromEntries(new Headers(init?.headers)),
        ...(init?.body !== undefined && init.body !== null && { payload: String(init.body) }),
      });
      const isEmpty = [202, 204].includes(answer.statusCode);
      return new Response(isEmpty ? null : answer.payload, {
        status: answer.statusCode,
        headers: answer.headers as Record<string, string>,
      });
    },
  });
}

const sessionHeader = Buffer.from(SESSION).toString('latin1');

async function newMcpScene(api: TestApi) {
  const workspace = await api.newWorkspace();
  const key = await api.newAccessKey(workspace);
  const ask = askAs(key);
  const scene = await furnishWorkspace(ask, workspace.id, () => api.drainJobs());
  const headers = { 'x-workspace-id': workspace.id, 'x-agent-id': scene.agentId, 'x-session-id': sessionHeader };
  return { workspace, key, ask, scene, headers };
}

describe.for(Object.keys(eras) as Era[])('the protocol of %s', (era) => {
  test('serves every tool, prompt and resource', async ({ api }) => {
    const { key, ask, scene, headers } = await newMcpScene(api);
    const client = await connect(transportTo(api, { ...headers, ...key.headers }), era);
    expect(client.getServerVersion()).toMatchObject({ name: 'commonplace' });
    expect(client.getInstructions()).toMatch(/Commonplace keeps/);
    await walkThrough(client, ask, scene);
    await client.close();
  });

  test('takes an access key as a bearer token, which says the workspace, and an API key', async ({ api }) => {
    const { workspace, key, headers } = await newMcpScene(api);
    const { 'x-workspace-id': _, ...others } = headers;
    const bearer = await connect(transportTo(api, { ...others, authorization: `Bearer ${key.headers['x-access-key']}` }), era);
    const { id } = await use(bearer, 'add_memory', { content: 'User is called Ada' });
    for (const credential of [workspace.owner.headers, { authorization: `Bearer ${workspace.owner.headers['x-api-key']}` }]) {
      const user = await connect(transportTo(api, { ...headers, ...credential }), era);
      expect(await use(user, 'get_memory', { memory_id: id })).toMatchObject({ content: 'User is called Ada' });
    }
  });

  test('shows a key of few permissions few tools, and no prompts or resources', async ({ api }) => {
    const { workspace, headers } = await newMcpScene(api);
    const few = await api.newAccessKey(workspace, ['CAN_QUERY_SESSION_MEMORIES', 'CAN_CREATE_SESSION_MEMORY', 'CAN_CREATE_AGENT_SESSION']);
    const client = await connect(transportTo(api, { ...headers, ...few.headers }), era);
    const { tools } = await client.listTools();
    expect(
      tools
        .map(({ name }) => name)
        .filter((name) => name !== 'get_context')
        .sort(),
    ).toEqual(['add_memory', 'recall', 'remember', 'search_memories']);
    expect(client.getServerCapabilities()).toEqual({ tools: {} });
    await use(client, 'add_memory', { content: 'User is called Ada' });
    expect((await use(client, 'search_memories', { query: 'Ada' })).results).toHaveLength(1);
    await expect(client.callTool({ name: 'get_memories', arguments: {} })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('Missing permission CAN_LIST_SESSION_MEMORIES'),
    });
  });

  test('pages prompts and resources by cursor', async ({ api }) => {
    const { workspace, key, ask, headers } = await newMcpScene(api);
    for (let index = 0; index < 25; index++)
      await ask('POST', `${workspace.url}/prompts`, { name: `P ${index}`, type: 'text', content: 'x' });
    const transport = transportTo(api, { ...headers, ...key.headers });
    const client = await connect(transport, era);
    const first = await client.request({ method: 'prompts/list', params: {} });
    expect(first.prompts).toHaveLength(20);
    const second = await client.request({ method: 'prompts/list', params: { cursor: first.nextCursor as string } });
    expect(second.prompts).toHaveLength(7);
    expect(second.nextCursor).toBeUndefined();
    expect(new Set([...first.prompts, ...second.prompts].map(({ name }) => name)).size).toBe(27);
    await expect(client.request({ method: 'prompts/list', params: { cursor: 'nonsense' } })).rejects.toMatchObject({ code: -32602 });
    await expect(client.request({ method: 'resources/list', params: { cursor: 'nonsense' } })).rejects.toMatchObject({ code: -32602 });
  });
});
