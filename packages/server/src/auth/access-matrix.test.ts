/** Every declared route against every kind of caller. A new route is in here without a word. */
import { type Permission, permissionNames, permissions, Role } from '@commonplace/contract/permissions';
import { afterAll, describe, expect, test } from 'vitest';
import { type Answer, openApi } from '../../test/api.ts';
import { type Case, casesOf, newScene, outcomeOf, type Scene } from '../../test/matrix-callers.ts';
import { bodyExamples, formOf, newFurnishedScene } from '../../test/matrix-items.ts';
import { pathOf, titleOf, valueOfNothing } from '../../test/matrix-paths.ts';
import { isForReaders, specification } from '../../test/matrix-specification.ts';
import { newId } from '../db/ids.ts';
import { PAGE_PATHS } from '../http/dashboard.ts';
import { type DeclaredRoute, paramNamesOf } from '../http/route.ts';

// Opened while the tests are collected, since they are made from its routes.
const { api, close } = await openApi();
afterAll(close);
const routes = api.app.api.routes;

describe('every route, every caller', () => {
  test.for(routes.map((route) => [titleOf(route), route] as const))('%s', async ([, route]) => {
    const surprises: string[] = [];
    let scene: Scene | undefined;
    for (const one of casesOf(route)) {
      scene ??= await newScene(api);
      const { answer, surprise } = await tried(route, one, scene);
      if (surprise) surprises.push(`${one.name}: ${surprise}`);
      // What a call changed must not reach the next one.
      if (route.method !== 'GET' && answer.status < 300) scene = undefined;
    }
    expect(surprises).toEqual([]);
  });
});

/** A body that nothing can be made of: who is let in is told so, and who is not must not get that far. */
const NOTHING_TO_WORK_WITH = {};

async function tried(route: DeclaredRoute, { who, client, named }: Case, scene: Scene): Promise<{ answer: Answer; surprise?: string }> {
  const given = { workspaceId: scene.workspace.id, ...named?.(scene) };
  const caller = await client(api, scene);
  const send = (params: Record<string, string>) => caller.send(route.method, pathOf(route, params), route.body && NOTHING_TO_WORK_WITH);
  const answer = await send(given);
  const expected = outcomeOf(route, who);
  const got = `got ${answer.status} ${answer.text}`;
  if (expected === 'in') {
    const wentIn = answer.status !== 401 && answer.status !== 403 && answer.status < 500 && !isWorkspaceNotFound(answer);
    if (given.agentId && isAgentNotFound(answer)) return { answer, surprise: `expected to see the agent, ${got}` };
    return wentIn ? { answer } : { answer, surprise: `expected to be let in, ${got}` };
  }
  if (expected === 'no agent') {
    // What is wrong with the request itself is said first, as for an agent that never was.
    return isAgentNotFound(answer) || answer.status === 400 ? { answer } : { answer, surprise: `expected no such agent, ${got}` };
  }
  if (answer.status !== expected || typeof answer.body?.errorMessage !== 'string')
    return { answer, surprise: `expected ${expected}, ${got}` };
  if (who.is === 'refused' && answer.body.errorMessage !== who.text) return { answer, surprise: `expected “${who.text}”, ${got}` };
  if (expected === 404) {
    for (const missing of [newId(), 'no-uuid']) {
      const twin = await send({ ...given, workspaceId: missing });
      if (!isWorkspaceNotFound(twin) || !alike(twin, answer)) {
        return { answer, surprise: `a missing workspace reads otherwise: ${got}, but ${twin.status} ${twin.text}` };
      }
    }
  }
  return { answer };
}

function isWorkspaceNotFound({ status, body }: Answer): boolean {
  return status === 404 && body?.errorMessage === 'Workspace not found';
}

function isAgentNotFound({ status, body }: Answer): boolean {
  return status === 404 && body?.errorMessage === 'Agent not found';
}

/** The same but for what names the request. */
function alike(one: Answer, other: Answer): boolean {
  const essence = ({ status, body, headers }: Answer) => {
    // What is left of the caller's rate tells of the caller alone.
    const { 'x-request-id': _id, date: _date, 'ratelimit-remaining': _left, 'ratelimit-reset': _reset, ...rest } = headers;
    return JSON.stringify([status, { ...body, requestId: '' }, rest, body.requestId.length]);
  };
  return essence(one) === essence(other);
}

test('a HEAD is guarded as its GET is', async () => {
  const { workspace, people, elsewhere } = await newScene(api);
  const callers = [api.anonymous, people.stranger.client, await api.newAccessKey(elsewhere), people.readonly.client, people.owner.client];
  for (const route of routes.filter(({ method }) => method === 'GET')) {
    const path = pathOf(route, { workspaceId: workspace.id });
    for (const caller of callers) {
      const [get, head] = [await caller.get(path), await caller.send('HEAD', path)];
      expect([route.path, head.status, head.text]).toEqual([route.path, get.status, '']);
    }
  }
});

describe('what is not there', () => {
  const inPath = routes.filter(({ path }) => paramNamesOf(path).length > 0);
  test.for(inPath.map((route) => [titleOf(route), route] as const))(
    '%s reads the same whether an id is unknown or none at all',
    async ([title, route]) => {
      const examples = await bodyExamples(api);
      const { items, workspace } = await newFurnishedScene(api, examples);
      const name = paramNamesOf(route.path).at(-1) as string;
      const form =
        route.upload &&
        formOf([
          { name: 'title', content: 'A title' },
          { name: route.upload.file, filename: 'a.txt', content: 'x' },
        ]);
      const send = (value: string) =>
        workspace.owner.send(
          route.method,
          `${pathOf(route, { ...items, [name]: value })}?id=nothing`,
          form?.text ?? examples.get(title),
          form && { 'content-type': form.type },
        );
      const [unknown, malformed] = [await send(valueOfNothing(name)), await send('\0')];
      expect([unknown.status, unknown.body.errorMessage]).toEqual([404, expect.stringMatching(/ not found$/)]);
      expect([malformed.status, malformed.body.errorMessage]).toEqual([404, unknown.body.errorMessage]);
    },
  );
});

describe('declarations', () => {
  test('there are routes', () => expect(routes.length).toBeGreaterThan(30));

  test.for(routes.map((route) => [titleOf(route), route] as const))('%s says who may call', ([, route]) => {
    const { access, path } = route;
    expect(access, 'a route declares its access').toBeTypeOf('object');
    expect(['public', 'user', 'both']).toContain(access.who);
    expect([undefined, 'any-key', 'self']).toContain(access.except);
    for (const name of access.permissions) expect(permissionNames).toContain(name);
    const params = paramNamesOf(path);
    if (access.permissions.length > 0) expect(params, 'a permission is held in a workspace').toContain('workspaceId');
    if (params.includes('workspaceId')) {
      expect(access.who, 'nothing in a workspace is public').not.toBe('public');
      const needed = [...access.permissions, ...Object.values(access.parts ?? {}).flat()];
      expect(needed, 'whatever is in a workspace needs a permission').not.toEqual([]);
      for (const name of needed) expect(permissionNames).toContain(name);
      for (const ofPart of Object.values(access.parts ?? {})) expect(ofPart, 'a part is read by a permission').not.toEqual([]);
    }
    if (access.who === 'both' && access.except !== 'any-key') {
      for (const name of access.permissions) expect(permissions[name].grantable, `an access key can hold ${name}`).toBe(true);
    }
    if (access.except === 'self') expect(params).toContain('userId');
    if (access.except === 'any-key') expect(access.who).toBe('both');
  });

  test.for(routes.filter((route) => specification[titleOf(route)]).map((route) => [titleOf(route), route] as const))(
    '%s is declared as the specification has it',
    ([title, { access }]) => {
      const auth = { public: 'P', user: 'U', both: 'B' }[access.who];
      expect({ auth, permissions: [...access.permissions].sort(), parts: access.parts }).toEqual({
        auth: specification[title]?.auth,
        permissions: [...(specification[title]?.permissions ?? [])].sort(),
        parts: specification[title]?.parts,
      });
    },
  );

  test('nobody but oneself, and no key but on the statistics and the usage, passes without the permission', () => {
    const exceptions = routes.filter(({ access }) => access.except).map((route) => `${titleOf(route)}: ${route.access.except}`);
    expect(exceptions.sort()).toEqual([
      'DELETE /workspaces/:workspaceId/members/:userId: self',
      'GET /workspaces/:workspaceId/stats: any-key',
      'GET /workspaces/:workspaceId/usage: any-key',
    ]);
  });

  test('the server has no route that is not declared, but for open pages and /mcp, which has a matrix of its own', () => {
    const declared = new Set(routes.map(({ path }) => `/api/v1${path.replace(/:\w+/g, ':')}`));
    const open = registeredPaths().filter((path) => !declared.has(path.replace(/:\w+(\|:\w+)*/g, ':')) && !path.startsWith('/assets/'));
    const files = ['/favicon.svg', '/theme.js'];
    expect(open.sort()).toEqual(['/api/v1/openapi.json', '/mcp', '/metrics', ...files, ...PAGE_PATHS].sort());
  });
});

/** Read from Fastify's own drawing of its routes; it gives them away in no other form. */
function registeredPaths(): string[] {
  const parents: string[] = [];
  const paths: string[] = [];
  const drawing = api.app.server.printRoutes({ commonPrefix: false, includeHooks: false });
  for (const line of drawing.split('\n').filter(Boolean)) {
    const [, indent, name, methods] = /^([│ ]*)[├└]── (\S*)(?: \((.+)\))?$/.exec(line) ?? [];
    if (indent === undefined || name === undefined) throw new Error(`Not understood: ${line}`);
    const depth = indent.length / 4;
    parents[depth] = (depth > 0 ? (parents[depth - 1] as string) : '') + name;
    // The drawing leaves out the slash before a star.
    if (methods) paths.push(parents[depth].replace(/(?<!\/)\*$/, '/*'));
  }
  return paths;
}

describe('the table of permissions', () => {
  const routesOf = (name: Permission) => Object.keys(specification).filter((title) => specification[title]?.permissions.includes(name));

  test('an access key can hold 31 of them', () => {
    const groups = /PROMPT|DOCUMENT|AGENT|SESSION|MESSAGE|MEMOR/;
    const expected = permissionNames.filter((name) => groups.test(name) && !/MEMBER/.test(name));
    expect(permissionNames.filter((name) => permissions[name].grantable)).toEqual(expected);
    expect(expected).toHaveLength(31);
  });

  test('owners hold all, admins all but deleting the workspace', () => {
    for (const name of permissionNames) {
      expect([name, permissions[name].roles.includes(Role.enum.owner)]).toEqual([name, true]);
      const admins = (permissions[name].roles as readonly Role[]).includes('admin');
      expect([name, admins]).toEqual([name, name !== 'CAN_DELETE_WORKSPACE']);
    }
  });

  test('readonly holds what reads, but no keys, invites or audits', () => {
    for (const name of permissionNames) {
      const titles = routesOf(name);
      const reads = titles.length > 0 && titles.every(isForReaders);
      expect([name, (permissions[name].roles as readonly Role[]).includes('readonly')]).toEqual([name, reads]);
    }
  });
});

describe('the OpenAPI document', () => {
  test('says of every route what its declaration says', async () => {
    const { body: document } = await api.anonymous.get('/openapi.json');
    const operationIds = new Set<string>();
    for (const route of routes) {
      const operation = document.paths[`/api/v1${route.path.replace(/:(\w+)/g, '{$1}')}`]?.[route.method.toLowerCase()];
      expect(operation, `${titleOf(route)} is in the document`).toBeDefined();
      const schemes = operation.security.map((scheme: Record<string, unknown>) => Object.keys(scheme).join('+'));
      const expected = { public: [], user: ['ApiKey', 'Cookie'], both: ['ApiKey', 'AccessKey', 'Cookie'] }[route.access.who];
      expect([titleOf(route), schemes]).toEqual([titleOf(route), expected]);
      expect([titleOf(route), operation['x-permission'] ?? '']).toEqual([titleOf(route), route.access.permissions.join(', ')]);

      expect(operation.operationId, titleOf(route)).toMatch(/^[a-z]\w+$/);
      expect(operationIds, `the name of ${titleOf(route)} is its own`).not.toContain(operation.operationId);
      operationIds.add(operation.operationId);
      expect(operation.summary, titleOf(route)).toMatch(/\S/);
      expect(operation.tags, titleOf(route)).toHaveLength(1);
      expect(document.tags.map(({ name }: { name: string }) => name)).toContain(operation.tags[0]);

      const statuses = Object.keys(operation.responses);
      const isPublic = route.access.who === 'public';
      const may = (status: number) => !isPublic || (route.fails ?? []).includes(status);
      expect([titleOf(route), statuses.includes('401')]).toEqual([titleOf(route), may(401)]);
      expect([titleOf(route), statuses.includes('403')]).toEqual([titleOf(route), may(403)]);
      if (route.path.includes(':')) expect(statuses, titleOf(route)).toContain('404');
      expect(statuses, titleOf(route)).toContain(String(route.answers.status));
    }
    const count = Object.values(document.paths).reduce<number>((sum, path) => sum + Object.keys(path as object).length, 0);
    expect(count).toBe(routes.length);
  });
});

describe('a credential that was good a moment ago', () => {
  test('an access key that is in the cache is refused once its time is over', async () => {
    const workspace = await api.newWorkspace();
    const key = await api.newAccessKey(workspace, undefined, new Date(api.clock.nowMs() + 60_000).toISOString());
    expect((await key.get('/me')).status).toBe(200);
    api.clock.advance(60_000);
    expect(await key.get('/me')).toMatchObject({ status: 401, body: { errorMessage: 'Invalid access key.' } });
  });

  test('a session that is in the cache is refused once its time is over', async () => {
    const browser = await api.newBrowser(await api.newUser());
    expect((await browser.get('/me')).status).toBe(200);
    api.clock.advance(60_000);
    expect(await browser.get('/me')).toMatchObject({ status: 401, body: { errorMessage: 'Invalid or expired session.' } });
  });

  test('a member who was removed is a stranger at once', async () => {
    const workspace = await api.newWorkspace();
    const member = await api.newMember(workspace, 'admin');
    expect((await member.client.get(workspace.url)).status).toBe(200);
    expect((await workspace.owner.delete(`${workspace.url}/members/${member.id}`)).status).toBe(204);
    expect((await member.client.get(workspace.url)).status).toBe(404);
  });

  test('a member who was demoted may do less at once', async () => {
    const workspace = await api.newWorkspace();
    const member = await api.newMember(workspace, 'admin');
    expect((await member.client.put(workspace.url, { name: 'By an admin' })).status).toBe(200);
    expect((await workspace.owner.put(`${workspace.url}/members/${member.id}`, { role: 'readonly' })).status).toBe(200);
    expect((await member.client.put(workspace.url, { name: 'By a reader' })).status).toBe(403);
  });

  test('no key of a deleted workspace works any more', async () => {
    const workspace = await api.newWorkspace();
    const key = await api.newAccessKey(workspace);
    expect((await key.get('/me')).status).toBe(200);
    expect((await workspace.owner.delete(workspace.url)).status).toBe(204);
    expect(await key.get('/me')).toMatchObject({ status: 401, body: { errorMessage: 'Invalid access key.' } });
    expect((await workspace.owner.get(workspace.url)).status).toBe(404);
  });
});
