/** Every tool, and prompts and resources, against every kind of caller: as the routes behind them, and never more. */
import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { openApi } from '../../test/api.ts';
import { type Case, casesOf, newScene, type Outcome, outcomeOf } from '../../test/matrix-callers.ts';
import { titleOf } from '../../test/matrix-paths.ts';
import { specification } from '../../test/matrix-specification.ts';
import { type RpcAnswer, rpc } from '../../test/mcp-rpc.ts';
import type { DeclaredRoute } from '../http/route.ts';
import { promptRoutes } from './prompts.ts';
import { resourceRoutes } from './resources.ts';
import { tools } from './server.ts';

// Opened while the tests are collected, since they are made from its routes.
const { api, close } = await openApi();
afterAll(close);
const routes = new Map(api.app.api.routes.map((route) => [route.name, route]));
const routesOf = (names: readonly string[]) => names.map((name) => routes.get(name)).filter((route) => route !== undefined);

/** The cookie opens nothing here, from wherever it comes. */
function outcomeFor(needed: readonly DeclaredRoute[], { who, name }: Case): Outcome {
  if (name.includes('cookie')) return 401;
  const outcomes = needed.map((route) => outcomeOf(route, who));
  return outcomes.find((outcome) => outcome !== 'in') ?? 'in';
}

/** What each caller is answered, beside what it should be. */
async function surprisesFor(
  needed: readonly DeclaredRoute[],
  tried: (caller: { send: (method: string, params?: object) => Promise<RpcAnswer> }, expected: Outcome) => Promise<string | undefined>,
): Promise<string[]> {
  const surprises: string[] = [];
  const scene = await newScene(api);
  for (const one of casesOf(needed[0] as DeclaredRoute)) {
    const client = await one.client(api, scene);
    const agentId = one.named?.(scene).agentId ?? scene.agents.this;
    const scope = { 'x-workspace-id': scene.workspace.id, 'x-agent-id': agentId, 'x-session-id': 'chat-1' };
    const send = (method: string, params?: object) => rpc(api, client, scope, method, params);
    const surprise = await tried({ send }, outcomeFor(needed, one));
    if (surprise) surprises.push(`${one.name}: ${surprise}`);
  }
  return surprises;
}

/** 401 and 404 come before any message is read. */
function closedDoor({ status, headers, body }: RpcAnswer, expected: 401 | 404): string | undefined {
  const isRight = status === expected && body.jsonrpc === '2.0' && body.id === null && body.error.data.code !== undefined;
  const isChallenged = expected !== 401 || String(headers['www-authenticate']).startsWith('Bearer');
  return isRight && isChallenged ? undefined : `expected ${expected}, got ${status} ${JSON.stringify(body)}`;
}

describe('every tool, every caller', () => {
  const there = tools.filter(({ route }) => routes.has(route));
  test.for(there.map((tool) => [tool.name, tool] as const))('%s', async ([name, tool]) => {
    const needed = routesOf([tool.route]);
    const surprises = await surprisesFor(needed, async ({ send }, expected) => {
      const listed = await send('tools/list');
      const called = await send('tools/call', { name, arguments: {} });
      if (expected === 401 || expected === 404) return closedDoor(listed, expected) ?? closedDoor(called, expected);
      const isListed = listed.body.result.tools.some((one: { name: string }) => one.name === name);
      const { error, result } = called.body;
      const got = `listed: ${isListed}, got ${called.status} ${JSON.stringify(called.body)}`;
      if (expected === 403) {
        const isRefused = error?.code === -32602 && /is not for this caller: /.test(error.message);
        return !isListed && isRefused ? undefined : `expected no tool, ${got}`;
      }
      // Past access: whatever comes then is about the arguments, which are none, or about what is not there.
      const isIn = error === undefined && !/permission|not for this caller/i.test(JSON.stringify(result));
      return isListed && isIn ? undefined : `expected to be let in, ${got}`;
    });
    expect(surprises).toEqual([]);
  });

  test('what a tool needs is what the specification says of its route', () => {
    for (const { name, route } of there) {
      const title = titleOf(routes.get(route) as DeclaredRoute);
      const rule = specification[title];
      if (rule) expect([name, routes.get(route)?.access.permissions]).toEqual([name, rule.permissions]);
    }
  });

  test('docs/mcp.md names every tool with its arguments and what it needs', async () => {
    const page = await readFile(new URL('../../../../docs/mcp.md', import.meta.url), 'utf8');
    for (const { name, route, listed } of there) {
      const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\` |`)) ?? '';
      const [, , given = '', , needs = ''] = row.split('|');
      const named = [...given.replace(/ = `\w+`/, ' = ').matchAll(/`(\w+)`(\?| = )?/g)].map(([, argument, mark]) => ({
        argument,
        isRequired: mark === undefined,
      }));
      const { properties = {}, required = [] } = listed.inputSchema;
      const declared = Object.keys(properties).map((argument) => ({ argument, isRequired: required.includes(argument) }));
      expect([name, named]).toEqual([name, declared]);
      if (name !== 'get_context') expect([name, needs.trim()]).toEqual([name, `\`${routes.get(route)?.access.permissions.join('`, `')}\``]);
    }
  });

  test('an agent beyond the limit of a key is not there, and neither is anything of its', async () => {
    const scene = await newScene(api);
    const session = { id: 'chat-1' };
    for (const id of Object.values(scene.agents)) await scene.workspace.owner.post(`${scene.workspace.url}/agents/${id}/sessions`, session);
    const key = await api.newAccessKey(scene.workspace, undefined, undefined, [scene.agents.this]);
    const given = { query: 'x', memory_id: scene.agents.this, content: 'x', name: undefined };
    const scopeOf = (agentId: string) => ({ 'x-agent-id': agentId, 'x-session-id': 'chat-1' });
    for (const { name, route } of there) {
      // Prompts are the whole workspace's, by name.
      if (!routes.get(route)?.path.includes(':agentId') && name !== 'search_knowledge') continue;
      const { body } = await rpc(api, key, scopeOf(scene.agents.another), 'tools/call', { name, arguments: given });
      expect([name, body.result?.isError, body.result?.content[0].text]).toEqual([name, true, expect.stringMatching(/^Agent not found: /)]);
    }
    // One agent alone need not be named.
    const { body } = await rpc(api, key, { 'x-session-id': 'chat-1' }, 'tools/call', { name: 'get_memories', arguments: {} });
    expect(body.result.structuredContent).toEqual({ memories: [], total: 0 });
  });
});

describe.for([
  ['prompts', promptRoutes, 'prompts/list', {}],
  ['prompts', promptRoutes, 'prompts/get', { name: 'nothing' }],
  ['resources', resourceRoutes, 'resources/list', {}],
  ['resources', resourceRoutes, 'resources/read', { uri: 'commonplace://documents/nothing' }],
] as const)('%s, every caller', ([kind, names, method, params]) => {
  test(method, async () => {
    const needed = routesOf(names);
    const surprises: string[] = [];
    // The first route's callers lack its permission in turn, so each comes first once.
    for (const first of needed) {
      const ordered = [first, ...needed.filter((route) => route !== first)];
      const found = await surprisesFor(ordered, async ({ send }, expected) => {
        const answer = await send(method, params);
        if (expected === 401 || expected === 404) return closedDoor(answer, expected);
        const { body: opened } = await send('initialize', {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'x', version: '1' },
        });
        const isOffered = kind in opened.result.capabilities;
        const got = `offered: ${isOffered}, got ${JSON.stringify(answer.body)}`;
        const isRefused = answer.body.error?.code === -32601;
        if (expected === 403) return !isOffered && isRefused ? undefined : `expected none, ${got}`;
        return isOffered && !isRefused ? undefined : `expected to be let in, ${got}`;
      });
      surprises.push(...found);
    }
    expect(surprises).toEqual([]);
  });
});
