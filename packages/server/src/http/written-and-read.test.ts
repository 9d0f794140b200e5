/** What a write answers is what a read finds, with every field given that the schema knows. A new route is in here without a word. */
import { afterAll, describe, expect, test } from 'vitest';
import { type Client, openApi } from '../../test/api.ts';
import { fullBodyOf } from '../../test/matrix-bodies.ts';
import { bodyExamples, formOf, newFurnishedScene } from '../../test/matrix-items.ts';
import { pathOf, titleOf } from '../../test/matrix-paths.ts';
import type { DeclaredRoute } from './route.ts';

type Fields = Record<string, unknown>;

const { api, close } = await openApi();
afterAll(close);
const { routes } = api.app.api;
const { body: document } = await api.anonymous.get('/openapi.json');
const { items, workspace } = await newFurnishedScene(api, await bodyExamples(api));

/** Secrets, in the answer of the creation alone. */
const SHOWN_ONCE = ['key', 'token', 'secret'];

/** Accounts are not read by an id. */
const WITHOUT_READER = ['POST /auth/setup', 'POST /auth/register', 'PUT /auth/password', 'PUT /me'];

/** The route that reads what another writes: at its path or below, of many as of one, or else with the same answer; or the list that has it. */
function readerOf({ method, path, answers }: DeclaredRoute): DeclaredRoute | undefined {
  if ((method !== 'POST' && method !== 'PUT') || !answers.body) return undefined;
  const reading = routes.filter((route) => route.method === 'GET' && route.answers.body);
  const byId = reading.filter((route) => /\/:\w+Id$/.test(route.path));
  const collection = path.replace(/\/(batch|:\w+)$/, '');
  return (
    byId.find((reader) => reader.path === path || reader.path.replace(/\/:\w+$/, '') === path.replace(/\/batch$/, '')) ??
    byId.find((reader) => reader.answers.body === answers.body) ??
    reading.find((reader) => path.startsWith(`${reader.path}/:`) && reader.path === collection)
  );
}

const pairs = routes.flatMap((route) => {
  const reader = readerOf(route);
  return reader ? [[titleOf(route), route, reader] as const] : [];
});

interface Surroundings {
  readonly client?: Client;
  readonly items?: Readonly<Record<string, string>>;
  readonly query?: string;
}

/** What some routes need beside a body and what is in the scene. */
const surroundings: Readonly<Record<string, () => Promise<Surroundings>>> = {
  'PUT /workspaces/:workspaceId/agents/:agentId/sessions/by-labels': async () => {
    const { body } = await workspace.owner.get(pathOf({ path: '/workspaces/:workspaceId/agents/:agentId/sessions/:sessionId' }, items));
    return { query: `?id=${body.externalId}` };
  },
  'POST /invites/:token/accept': invited,
  'POST /invites/:token/reject': invited,
};

async function invited(): Promise<Surroundings> {
  const { client, email } = await api.newUser();
  const { body } = await workspace.owner.post(`${workspace.url}/invites`, { email, role: 'admin' });
  return { client, items: { token: body.token } };
}

async function write(route: DeclaredRoute, body: Fields | undefined) {
  const { client = workspace.owner, items: more = {}, query = '' } = (await surroundings[titleOf(route)]?.()) ?? {};
  const path = `${pathOf(route, { ...items, ...more })}${query}`;
  if (!route.upload) return client.send(route.method, path, body);
  const form = formOf([
    { name: 'title', content: 'A title' },
    { name: 'labels', content: '["lang:en"]' },
    { name: route.upload.file, filename: 'notes.md', content: '# Some text' },
  ]);
  return client.send(route.method, path, form.text, { 'content-type': form.type });
}

async function read(reader: DeclaredRoute, written: Fields): Promise<Fields> {
  const param = /:(\w+Id)$/.exec(reader.path)?.[1];
  const named = param === undefined ? {} : { [param]: String(written[param] ?? written.id) };
  const { status, body, text } = await workspace.owner.get(pathOf(reader, { ...items, ...named }));
  expect(status, text).toBe(200);
  if (param !== undefined) return body;
  const [listed] = Object.values(body as Fields).filter((value) => Array.isArray(value));
  return listed?.find(({ id }) => id === written.id);
}

/** The same whether JSON is given as text or as it is. */
function asJson(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** One, or all of a batch. */
function each(route: DeclaredRoute, body: Fields): Fields[] {
  return route.path.endsWith('/batch') ? (Object.values(body)[0] as Fields[]) : [body];
}

describe('what is answered is what is read', () => {
  test.for(pairs)('%s', async ([, route, reader]) => {
    const body = fullBodyOf(document, route, items);
    const answer = await write(route, body);
    expect([200, 201, 202], answer.text).toContain(answer.status);
    const given = each(route, body ?? {});
    const written = each(route, answer.body);
    expect(written.length).toBe(given.length);
    for (const [index, one] of written.entries()) {
      const found = await read(reader, one);
      expect(found).toEqual(Object.fromEntries(Object.entries(one).filter(([name]) => !SHOWN_ONCE.includes(name))));
      // An `id` that is given is the caller's own name for it.
      for (const [name, value] of Object.entries(given[index] as Fields).filter(([name]) => name in found && name !== 'id')) {
        if (Array.isArray(value)) expect(found[name], name).toEqual(expect.arrayContaining(value));
        else expect([name, asJson(found[name])]).toEqual([name, asJson(value)]);
      }
    }
  });

  test('of everything that is made or changed', () => {
    const writing = routes.filter(({ method, answers }) => method === 'PUT' || (method === 'POST' && answers.status === 201));
    const titles = new Set(pairs.map(([title]) => title));
    expect(writing.map(titleOf).filter((title) => !titles.has(title))).toEqual(WITHOUT_READER);
  });
});
