/** Every declared route that changes something leaves an event, and none where it is refused. A new route is in here without a word. */
import { type EventSubject, type EventType, subjectOfType } from '@commonplace/contract/events';
import { afterAll, describe, expect, test } from 'vitest';
import { type Client, openApi } from '../../test/api.ts';
import { fullBodyOf } from '../../test/matrix-bodies.ts';
import { bodyExamples, type FurnishedScene, formOf, newFurnishedScene } from '../../test/matrix-items.ts';
import { pathOf, titleOf } from '../../test/matrix-paths.ts';
import { countEvents, eventsDuring, type RecordedEvent } from '../../test/recorded-events.ts';
import { agentLine, header, streamOf } from '../../test/transfer-lines.ts';
import { type DeclaredRoute, paramNamesOf } from '../http/route.ts';

// Opened while the tests are collected, since they are made from its routes.
const { api, close } = await openApi();
afterAll(close);
const { body: document } = await api.anonymous.get('/openapi.json');
const examples = await bodyExamples(api);
const agentPath = '/workspaces/:workspaceId/agents/:agentId';
const sessionPath = `${agentPath}/sessions/:sessionId`;

/** They change nothing that an event is about, and why not. */
const WITHOUT_EVENT: Readonly<Record<string, string>> = {
  'DELETE /workspaces/:workspaceId': 'the events go with the workspace',
  [`POST ${sessionPath}/memories/regenerate`]: 'work is queued, and what comes of it is told',
  'POST /workspaces/:workspaceId/documents/:documentId/reindex': 'work is queued, and its end is told',
  'POST /workspaces/:workspaceId/webhooks/:webhookId/test': 'a delivery is queued, for that webhook alone',
  'POST /workspaces/:workspaceId/webhooks/:webhookId/deliveries/:deliveryId/redeliver': 'what was told is told again',
  'POST /workspaces/:workspaceId/jobs/:jobId/retry': 'work is queued, and what comes of it is told',
};

const changing = api.app.api.routes.filter(
  ({ method, path, changesNothing }) => method !== 'GET' && !changesNothing && paramNamesOf(path).includes('workspaceId'),
);
const recorded = changing.filter((route) => WITHOUT_EVENT[titleOf(route)] === undefined);

interface Surroundings {
  readonly items?: Readonly<Record<string, string>>;
  readonly query?: string;
}

/** What some routes need beside a body and what is in the scene. */
const surroundings: Readonly<Record<string, (scene: FurnishedScene) => Promise<Surroundings>>> = {
  [`PUT ${agentPath}/sessions/by-labels`]: byExternalId,
  [`DELETE ${agentPath}/sessions/by-labels`]: byExternalId,
  [`DELETE ${sessionPath}/messages/batch`]: async ({ items }) => ({ items: { ids: items.messageId as string } }),
  [`DELETE ${sessionPath}/memories/batch`]: async ({ items }) => ({ items: { ids: items.memoryId as string } }),
  'DELETE /workspaces/:workspaceId/documents': async ({ workspace }) => {
    const { text, type } = formOf([
      { name: 'title', content: 'A title' },
      { name: 'externalId', content: 'handbook' },
      { name: 'file', filename: 'notes.md', content: '# Some text' },
    ]);
    expect((await workspace.owner.post(`${workspace.url}/documents`, text, { 'content-type': type })).status).toBe(201);
    return { query: '?externalId=handbook' };
  },
};

async function byExternalId({ workspace, items }: FurnishedScene): Promise<Surroundings> {
  const { body } = await workspace.owner.get(pathOf({ path: sessionPath }, items));
  return { query: `?id=${body.externalId}` };
}

/** The request as somebody would send it who means it. */
async function requestOf(route: DeclaredRoute, scene: FurnishedScene) {
  const { items: more = {}, query = '' } = (await surroundings[titleOf(route)]?.(scene)) ?? {};
  const items = { ...scene.items, ...more };
  const form =
    route.upload &&
    formOf([
      { name: 'title', content: 'A title' },
      { name: route.upload.file, filename: 'notes.md', content: '# Some text' },
    ]);
  const stream = route.receives && { text: streamOf([header(), agentLine()]), type: route.receives.contentType };
  const sent = form ?? stream;
  return {
    path: (given = items) => `${pathOf(route, given)}${query}`,
    items,
    payload: sent?.text ?? fullBodyOf(document, route, items),
    headers: sent ? { 'content-type': sent.type } : {},
  };
}

describe('every route that changes something', () => {
  test.for(recorded.map((route) => [titleOf(route), route] as const))('%s leaves events', async ([, route]) => {
    const scene = await newFurnishedScene(api, examples);
    const { path, payload, headers } = await requestOf(route, scene);
    const { owner } = scene.workspace;
    const events = await eventsDuring(scene.workspace, async () => {
      const answer = await owner.send(route.method, path(), payload, headers);
      expect([200, 201, 202, 204], answer.text).toContain(answer.status);
    });
    expect(events.length, 'an event, or a reason in WITHOUT_EVENT').toBeGreaterThan(0);
    for (const event of events) await expectAsRead(scene, event);
  });

  test.for(changing.map((route) => [titleOf(route), route] as const))('%s leaves none where it is refused', async ([, route]) => {
    const scene = await newFurnishedScene(api, examples);
    const { path, items, payload, headers } = await requestOf(route, scene);
    const { owner } = scene.workspace;
    const before = await countEvents(scene.workspace);
    const keyOfNothing = await api.newAccessKey(scene.workspace, ['CAN_LIST_AGENTS']);
    const refuse = async (caller: Client, address: string, body: unknown, status: number) => {
      const answer = await caller.send(route.method, address, body, headers);
      expect(answer.status, answer.text).toBe(status);
    };
    await refuse(scene.people.stranger.client, path(), payload, 404);
    await refuse(keyOfNothing, path(), payload, 403);
    const last = paramNamesOf(route.path).at(-1) as string;
    const { [last]: _, ...others } = items;
    await refuse(owner, path(others), payload, 404);
    if (route.body) await refuse(owner, path(), [], 400);
    // The one of the key itself.
    expect(await countEvents(scene.workspace)).toBe(before + 1);
  });

  test('the exceptions are routes, and few', () => {
    const titles = changing.map(titleOf);
    for (const title of Object.keys(WITHOUT_EVENT)) expect(titles).toContain(title);
    expect(recorded.length).toBeGreaterThan(30);
  });
});

/** Where the API gives what an event is about. */
const readers: Partial<Record<EventSubject, (event: RecordedEvent, id: string) => string>> = {
  workspace: () => '',
  member: () => '/members?limit=100',
  invite: (_, id) => `/invites/${id}`,
  key: (_, id) => `/keys/${id}`,
  agent: (_, id) => `/agents/${id}`,
  session: ({ agentId }, id) => `/agents/${agentId}/sessions/${id}`,
  message: ({ agentId, sessionId }, id) => `/agents/${agentId}/sessions/${sessionId}/messages/${id}`,
  memory: ({ agentId, sessionId }, id) => `/agents/${agentId}/sessions/${sessionId}/memories/${id}`,
  prompt: (_, id) => `/prompts/${id}`,
  prompt_version: ({ data }, id) => `/prompts/${data.promptId}/versions/${id}`,
  document: (_, id) => `/documents/${id}`,
  webhook: (_, id) => `/webhooks/${id}`,
  subject: (_, id) => `/receipts/${id}`,
};
const otherNames: Partial<Record<EventSubject, string>> = { prompt_version: 'promptVersion', subject: 'receipt' };

/** Its `data` is what a GET answers; nothing but the id, and for some a name, where that is 404. */
async function expectAsRead({ workspace }: FurnishedScene, event: RecordedEvent): Promise<void> {
  const subject = subjectOfType(event.type as EventType);
  const told = event.data[otherNames[subject] ?? subject];
  const id = (subject === 'prompt' && told.promptId) || (subject === 'member' && told.userId) || told.id;
  const path = readers[subject]?.(event, id);
  if (path === undefined) throw new Error(`Nothing is known to read a ${subject} by`);
  const { status, body } = await workspace.owner.get(`${workspace.url}${path}`);
  const isGone = /\.(deleted|revoked|removed)$/.test(event.type);
  expect([event.type, status]).toEqual([event.type, isGone && subject !== 'member' ? 404 : 200]);
  if (subject === 'workspace') {
    // What is the caller's own in it is no part of an event.
    const { role, membersCount, ...shared } = body;
    expect(told).toEqual(shared);
  } else if (subject === 'member') {
    const member = body.members.find(({ userId }: { userId: string }) => userId === id);
    expect(told).toEqual(isGone ? { id } : member);
  } else expect(told).toEqual(isGone ? (namesOfGone[event.type as EventType]?.(id) ?? { id }) : body);
  if (event.type === 'prompt.promoted') {
    const { body: versions } = await workspace.owner.get(`${workspace.url}/prompts/${id}/versions`);
    const version = versions.versions.find(({ version }: { version: number }) => version === event.data.version);
    expect(event.data.promptVersion).toEqual(version);
  }
  expect(event).toMatchObject({ workspaceId: workspace.id, ...placeOf(subject, id, path) });
}

const namesOfGone: Partial<Record<EventType, (id: string) => object>> = {
  'key.revoked': (id) => ({ id, name: expect.any(String) }),
  'prompt.deleted': (id) => ({ id, name: expect.any(String), handle: expect.any(String) }),
};

/** What belongs to an agent or a session says so. */
function placeOf(subject: EventSubject, id: string, path: string): { agentId?: string; sessionId?: string } {
  const [, agentId] = /\/agents\/([^/]+)/.exec(path) ?? [];
  const [, sessionId] = /\/sessions\/([^/]+)/.exec(path) ?? [];
  expect(path).not.toContain('undefined');
  if (subject === 'agent') return { agentId: id };
  return { ...(agentId && { agentId }), ...(sessionId && { sessionId }) };
}
