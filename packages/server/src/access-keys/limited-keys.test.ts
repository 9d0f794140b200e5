/** Access keys that are limited to agents: on every route that a key may call, found in the declarations. */
import { grantablePermissions } from '@commonplace/contract/permissions';
import { afterAll, describe, expect, test as plainTest } from 'vitest';
import { aTime, made, openApi, refusal, type TestApi, type TestWorkspace, test } from '../../test/api.ts';
import { bodyExamples, formOf, newFurnishedScene } from '../../test/matrix-items.ts';
import { pathOf, titleOf } from '../../test/matrix-paths.ts';
import { newId } from '../db/ids.ts';
import { type DeclaredRoute, paramNamesOf } from '../http/route.ts';

const limitedKey = (api: TestApi, workspace: TestWorkspace, agentIds: string[]) =>
  api.newAccessKey(workspace, grantablePermissions, undefined, agentIds);

// Opened while the tests are collected, since they are made from its routes.
const { api: shared, close } = await openApi();
afterAll(close);
const forKeys = shared.app.api.routes.filter(({ access, path }) => access.who === 'both' && paramNamesOf(path).includes('workspaceId'));
const examples = await bodyExamples(shared);
const MARK = 'zyzzyva';

function bodyFor(route: DeclaredRoute): { payload: unknown; headers?: Record<string, string> } {
  if (route.upload) {
    const form = formOf([
      { name: 'title', content: 'A title' },
      { name: route.upload.file, filename: 'notes.txt', content: 'Some text' },
    ]);
    return { payload: form.text, headers: { 'content-type': form.type } };
  }
  const example = examples.get(titleOf(route));
  return { payload: example && 'query' in example ? { ...example, query: MARK } : example };
}

describe('every route below an agent', () => {
  const routes = forKeys.filter(({ path }) => paramNamesOf(path).includes('agentId'));
  plainTest('there are such routes', () => expect(routes.length).toBeGreaterThan(25));

  plainTest.for(routes.map((route) => [titleOf(route), route] as const))('%s', async ([, route]) => {
    const { workspace, items, agents } = await newFurnishedScene(shared, examples);
    const agentId = items.agentId as string;
    const { payload, headers } = bodyFor(route);
    const query = route.path.endsWith('/by-labels') ? '?id=nobody' : '';
    const send = async (agentIds: string[]) =>
      (await limitedKey(shared, workspace, agentIds)).send(route.method, pathOf(route, items) + query, payload, headers);
    expect(await send([agents.another])).toEqual(refusal(404, 'Agent not found'));
    const answer = await send([agents.another, agentId]);
    expect(answer.body?.errorMessage, answer.text).not.toBe('Agent not found');
    // Some examples name messages and memories that are not there, or a session that is.
    expect([200, 201, 202, 204, 404, 409], answer.text).toContain(answer.status);
  });
});

describe('every route of a workspace that names no agent', () => {
  const routes = forKeys.filter(({ path }) => !paramNamesOf(path).includes('agentId'));

  plainTest.for(routes.map((route) => [titleOf(route), route] as const))('%s shows nothing of other agents', async ([, route]) => {
    const { workspace, items, agents } = await newFurnishedScene(shared, examples);
    const hidden = agents.another;
    const url = `${workspace.url}/agents/${hidden}`;
    const session = made(await workspace.owner.post(`${url}/sessions?id=${MARK}`));
    made(await workspace.owner.post(`${url}/sessions/${session.id}/messages`, { role: 'user', content: `${MARK} said` }));
    made(await workspace.owner.post(`${url}/sessions/${session.id}/memories`, { kind: 'fact', content: `${MARK} kept` }));
    const { payload, headers } = bodyFor(route);
    const ask = async (agentIds: string[] | undefined) => {
      const key = await shared.newAccessKey(workspace, grantablePermissions, undefined, agentIds);
      return key.send(route.method, pathOf(route, items), payload, headers);
    };
    const limited = await ask([agents.this]);
    expect(limited.status, limited.text).toBeLessThan(500);
    for (const secret of [MARK, hidden, session.id]) expect(limited.text).not.toContain(secret);
    if (route.access.narrowed) {
      const all = await ask(undefined);
      expect(all.status, all.text).toBe(200);
      expect(all.text, 'a key with no limit sees more').not.toBe(limited.text);
    }
  });
});

test('a key is limited to the agents it was made with, and says so', async ({ api }) => {
  const agent = await api.newAgent();
  const { workspace } = agent;
  const other = await api.newAgent(workspace);
  const fields = { name: 'Limited', permissions: ['CAN_LIST_AGENTS'], agentIds: [agent.id.toUpperCase(), agent.id] };
  const { key, ...created } = made(await workspace.owner.post(`${workspace.url}/keys`, fields));
  expect(created).toMatchObject({ name: 'Limited', agentIds: [agent.id], createdAt: aTime });
  expect((await workspace.owner.get(`${workspace.url}/keys/${created.id}`)).body).toEqual(created);
  const { body } = await workspace.owner.get(`${workspace.url}/keys`);
  expect(body.keys[0]).toEqual(created);
  for (const unlimited of body.keys.slice(1)) expect(unlimited).not.toHaveProperty('agentIds');
  expect((await api.client({ 'x-access-key': key }).get('/me')).body.accessKey.agentIds).toEqual([agent.id]);
  const { body: list } = await api.client({ 'x-access-key': key }).get(`${workspace.url}/agents`);
  expect(list).toMatchObject({ agents: [{ id: agent.id }], _meta: { total: 1 } });
  expect((await workspace.owner.get(`${workspace.url}/agents`)).body._meta.total).toBe(2);
  expect((await workspace.owner.get(`${workspace.url}/audits?action=access_key.create&limit=1`)).body.audits[0].detail.agentIds).toEqual([
    agent.id,
  ]);
  expect(other.id).not.toBe(agent.id);
});

test('the agents must be of this workspace, 1 to 50', async ({ api }) => {
  const agent = await api.newAgent();
  const stranger = await api.newAgent();
  const { workspace } = agent;
  const make = (agentIds: unknown) =>
    workspace.owner.post(`${workspace.url}/keys`, { name: 'x', permissions: ['CAN_GET_AGENT'], agentIds });
  for (const ids of [[newId()], [agent.id, stranger.id]]) expect(await make(ids)).toEqual(refusal(404, 'Agent not found'));
  for (const ids of [[], Array.from({ length: 51 }, newId), ['no-uuid'], agent.id, {}]) {
    expect((await make(ids)).status, JSON.stringify(ids)).toBe(400);
  }
  for (const none of [undefined, null]) expect(made(await make(none))).not.toHaveProperty('agentIds');
  const many = await Promise.all(Array.from({ length: 50 }, () => api.newAgent(workspace)));
  expect(made(await make(many.map(({ id }) => id))).agentIds).toHaveLength(50);
});

test('a limited key makes no agents, and counts what is of its own', async ({ api }) => {
  const session = await api.newSession();
  const { agent, runtime } = session;
  const { workspace } = agent;
  const other = await api.newSession(await api.newAgent(workspace));
  for (const { url } of [session, other]) {
    made(await runtime.post(`${url}/messages/batch`, { messages: Array.from({ length: 3 }, () => ({ role: 'user', content: 'x' })) }));
    made(await runtime.post(`${url}/memories`, { kind: 'fact', content: 'x' }));
  }
  const limited = await limitedKey(api, workspace, [agent.id]);
  expect(await limited.post(`${workspace.url}/agents`, { name: 'New', description: 'x' })).toMatchObject({
    status: 403,
    body: { errorMessage: 'This access key is limited to some agents, and this is about the whole workspace' },
  });
  expect((await limited.get(`${workspace.url}/stats`)).body).toMatchObject({ agents: 1, sessions: 1, messages: 3, memories: 1 });
  expect((await runtime.get(`${workspace.url}/stats`)).body).toMatchObject({ agents: 2, sessions: 2, messages: 6, memories: 2 });
});

test('a deleted agent leaves the key with the rest, and never with all', async ({ api }) => {
  const one = await api.newAgent();
  const { workspace } = one;
  const [two, hidden] = [await api.newAgent(workspace), await api.newAgent(workspace)];
  const limited = await limitedKey(api, workspace, [one.id, two.id]);
  const seen = async () => (await limited.get(`${workspace.url}/agents`)).body.agents.map(({ id }: { id: string }) => id).sort();
  expect(await seen()).toEqual([one.id, two.id].sort());
  expect((await limited.delete(one.url)).status).toBe(204);
  expect(await seen()).toEqual([two.id]);
  expect((await workspace.owner.delete(two.url)).status).toBe(204);
  expect(await seen()).toEqual([]);
  for (const { url } of [one, two, hidden]) expect(await limited.get(url)).toEqual(refusal(404, 'Agent not found'));
  expect((await limited.post(`${workspace.url}/search`, { query: 'x' })).body.results).toEqual([]);
});
