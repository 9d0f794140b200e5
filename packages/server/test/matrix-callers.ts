/** Every kind of caller, with what the specification lets it do: the columns of the access matrix. */
import { grantablePermissions, type Permission, permissions, type Role } from '@commonplace/contract/permissions';
import { createAccessKey } from '../src/access-keys/store.ts';
import { createAgent } from '../src/agents/store.ts';
import { createApiKey } from '../src/api-keys/store.ts';
import type { Actor } from '../src/auth/callers.ts';
import { newSecret } from '../src/auth/secrets.ts';
import { timestamp } from '../src/clock.ts';
import { type DeclaredRoute, paramNamesOf } from '../src/http/route.ts';
import type { Client, TestApi, TestUser, TestWorkspace } from './api.ts';
import { isForLimitedKeys } from './matrix-specification.ts';

const HOUR_MS = 60 * 60 * 1000;

/** A workspace with its people, and another one. */
export interface Scene {
  readonly workspace: TestWorkspace;
  readonly elsewhere: TestWorkspace;
  readonly people: Readonly<Record<Role | 'stranger', TestUser>>;
  /** Of the workspace. */
  readonly agents: Readonly<Record<'this' | 'another', string>>;
}

export async function newScene(api: TestApi): Promise<Scene> {
  const workspace = await api.newWorkspace();
  const newAgent = () =>
    createAgent(api.db, actorOf(workspace.ownerUser.id), workspace.id, { name: 'Agent', description: 'Helps.' }, api.clock.nowMs());
  const [elsewhere, admin, readonly, agent, another] = await Promise.all([
    api.newWorkspace('Elsewhere'),
    api.newMember(workspace, 'admin'),
    api.newMember(workspace, 'readonly'),
    newAgent(),
    newAgent(),
  ]);
  const people = { owner: workspace.ownerUser, admin, readonly, stranger: elsewhere.ownerUser };
  return { workspace, elsewhere, people, agents: { this: agent.id, another: another.id } };
}

/** Who calls, in the words of the specification. */
export type Who =
  | { readonly is: 'refused'; readonly text: string }
  | { readonly is: 'user'; readonly role: Role | undefined; readonly itself?: boolean; readonly withoutProof?: boolean }
  | {
      readonly is: 'access key';
      readonly ofWorkspace: 'this' | 'another';
      readonly holds: readonly Permission[];
      readonly limitedTo?: 'this' | 'another';
    };

export interface Case {
  readonly name: string;
  readonly who: Who;
  readonly client: (api: TestApi, scene: Scene) => Promise<Client>;
  /** What is named in the path beside the workspace; nothing that there is otherwise. */
  readonly named?: (scene: Scene) => { userId?: string; agentId?: string };
}

/** `in` = past every check of access: whatever comes then is about the request itself. `no agent` = the agent is not there for the caller. */
export type Outcome = 'in' | 'no agent' | 401 | 403 | 404;

/** 401, then 404 for a workspace that is not visible, then 403; from the words of the specification, not from the code. */
export function outcomeOf({ access, method, path }: DeclaredRoute, who: Who): Outcome {
  if (access.who === 'public') return 'in';
  if (who.is === 'refused') return 401;
  const inWorkspace = paramNamesOf(path).includes('workspaceId');
  if (inWorkspace && (who.is === 'user' ? who.role === undefined : who.ofWorkspace === 'another')) return 404;
  if (who.is === 'access key') {
    if (access.who === 'user') return 403;
    if (who.limitedTo && inWorkspace && !isForLimitedKeys(`${method} ${path}`)) return 403;
    if (access.except !== 'any-key' && !access.permissions.every((name) => who.holds.includes(name))) return 403;
    if (!mayReadSome(access, (name) => who.holds.includes(name))) return 403;
    return who.limitedTo === 'another' && paramNamesOf(path).includes('agentId') ? 'no agent' : 'in';
  }
  if (who.withoutProof && method !== 'GET') return 403;
  if (access.except === 'self' && who.itself) return 'in';
  const { role } = who;
  const isHeld = (name: Permission) => role !== undefined && (permissions[name].roles as readonly Role[]).includes(role);
  return access.permissions.every(isHeld) && mayReadSome(access, isHeld) ? 'in' : 403;
}

/** Where an answer is made of parts: whether one of them may be read. */
function mayReadSome({ parts }: DeclaredRoute['access'], isHeld: (name: Permission) => boolean): boolean {
  return parts === undefined || Object.values(parts).some((needed) => needed.every(isHeld));
}

export function casesOf(route: DeclaredRoute): Case[] {
  return [...refusedCases, ...userCases(route), ...accessKeyCases(route)];
}

const refused = (name: string, text: string, client: Case['client']): Case => ({ name, who: { is: 'refused', text }, client });

const refusedCases: readonly Case[] = [
  refused('no credential', 'Not authenticated.', async (api) => api.anonymous),
  refused('an API key that is nonsense', 'Invalid API key.', async (api) => api.client({ 'x-api-key': 'nonsense' })),
  refused('an empty API key', 'Invalid API key.', async (api) => api.client({ 'x-api-key': '' })),
  refused('an API key that was never given', 'Invalid API key.', async (api) => api.client({ 'x-api-key': newSecret('apiKey') })),
  refused('an access key as API key', 'Invalid API key.', async (api, { workspace }) => {
    const { headers } = await api.newAccessKey(workspace);
    return api.client({ 'x-api-key': headers['x-access-key'] as string });
  }),
  refused('an expired API key', 'Invalid API key.', async (api, { people }) => {
    const expiresAt = timestamp(api.clock.nowMs() - HOUR_MS);
    const { id } = people.owner;
    const { key } = await createApiKey(api.db, actorOf(id), id, { name: 'expired', expiresAt }, api.clock.nowMs() - 2 * HOUR_MS);
    return api.client({ 'x-api-key': key });
  }),
  refused('a deleted API key', 'Invalid API key.', async (api, { people: { owner } }) => {
    const { key, id } = (await owner.client.post('/apiKeys', { name: 'deleted' })).body;
    return usedAndThen(api.client({ 'x-api-key': key }), () => owner.client.delete(`/apiKeys/${id}`));
  }),
  refused('a bad API key beside a good access key', 'Invalid API key.', async (api, { workspace }) =>
    (await api.newAccessKey(workspace)).with({ 'x-api-key': newSecret('apiKey') }),
  ),
  refused('an access key that is nonsense', 'Invalid access key.', async (api) => api.client({ 'x-access-key': 'nonsense' })),
  refused('an access key that was never given', 'Invalid access key.', async (api) =>
    api.client({ 'x-access-key': newSecret('accessKey') }),
  ),
  refused('an expired access key', 'Invalid access key.', async (api, { workspace }) => {
    const nowMs = api.clock.nowMs();
    const changes = { name: 'expired', permissions: [...grantablePermissions], expiresAt: timestamp(nowMs - HOUR_MS) };
    const { key } = await createAccessKey(api.db, actorOf(workspace.ownerUser.id), workspace.id, changes, nowMs - 2 * HOUR_MS);
    return api.client({ 'x-access-key': key });
  }),
  refused('a deleted access key', 'Invalid access key.', async (api, { workspace }) => {
    const key = await api.newAccessKey(workspace);
    return usedAndThen(key, () => workspace.owner.delete(`${workspace.url}/keys/${key.keyId}`));
  }),
  refused('a cookie that is nonsense', 'Invalid or expired session.', async (api) =>
    api.client({ cookie: 'commonplace_session=nonsense' }),
  ),
  refused('the cookie of a session that was ended', 'Invalid or expired session.', async (api, { people }) => {
    const browser = await api.newBrowser(people.owner);
    return usedAndThen(browser, () => browser.post('/auth/logout'));
  }),
];

function userCases(route: DeclaredRoute): Case[] {
  const roles = ['owner', 'admin', 'readonly', 'stranger'] as const;
  const roleOf = (role: (typeof roles)[number]) => (role === 'stranger' ? undefined : role);
  const byApiKey = roles.map(
    (role): Case => ({
      name: `the API key of ${role}`,
      who: { is: 'user', role: roleOf(role) },
      client: async (_api, { people }) => people[role].client,
    }),
  );
  const itself = route.access.except === 'self' ? roles : [];
  return [
    ...byApiKey,
    ...itself.map(
      (role): Case => ({
        name: `the API key of ${role}, about themselves`,
        who: { is: 'user', role: roleOf(role), itself: true },
        client: async (_api, { people }) => people[role].client,
        named: ({ people }) => ({ userId: people[role].id }),
      }),
    ),
    {
      name: 'a good API key beside a bad access key',
      who: { is: 'user', role: 'owner' },
      client: async (_api, { workspace }) => workspace.owner.with({ 'x-access-key': newSecret('accessKey') }),
    },
    {
      name: 'the cookie of owner, from the dashboard',
      who: { is: 'user', role: 'owner' },
      client: (api, { people }) => api.newBrowser(people.owner),
    },
    {
      name: 'the cookie of readonly, from the dashboard',
      who: { is: 'user', role: 'readonly' },
      client: (api, { people }) => api.newBrowser(people.readonly),
    },
    {
      name: 'the cookie of stranger, from the dashboard',
      who: { is: 'user', role: undefined },
      client: (api, { people }) => api.newBrowser(people.stranger),
    },
    {
      name: 'the cookie of owner, with no word on the origin',
      who: { is: 'user', role: 'owner', withoutProof: true },
      client: (api, { people }) => api.newBrowser(people.owner, false),
    },
    {
      name: 'the cookie of owner, from another site',
      who: { is: 'user', role: 'owner', withoutProof: true },
      client: async (api, { people }) =>
        (await api.newBrowser(people.owner, false)).with({ 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }),
    },
  ];
}

function accessKeyCases({ access }: DeclaredRoute): Case[] {
  const needed = access.permissions.filter((name) => permissions[name].grantable);
  // Where none is needed or none can be given, a key with something else stands for “any valid key”.
  const exactly = needed.length > 0 ? needed : grantablePermissions.slice(0, 1);
  const key = (name: string, holds: readonly Permission[]): Case => ({
    name,
    who: { is: 'access key', ofWorkspace: 'this', holds },
    client: (api, { workspace }) => api.newAccessKey(workspace, holds),
  });
  return [
    key(`an access key with exactly ${exactly.join(', ')}`, exactly),
    key('an access key with every permission', grantablePermissions),
    ...needed.map((missing) =>
      key(
        `an access key with every permission but ${missing}`,
        grantablePermissions.filter((name) => name !== missing),
      ),
    ),
    ...Object.entries(access.parts ?? {}).flatMap(([part, ofPart]) => [
      key(`an access key with exactly what ${part} needs`, ofPart),
      key(
        `an access key with every permission but those of ${part}`,
        grantablePermissions.filter((name) => !ofPart.includes(name)),
      ),
    ]),
    ...(access.parts
      ? [
          key(
            'an access key with no permission of any part',
            grantablePermissions.filter(
              (name) =>
                !Object.values(access.parts ?? {})
                  .flat()
                  .includes(name),
            ),
          ),
        ]
      : []),
    ...(['this', 'another'] as const).map(
      (limitedTo): Case => ({
        name: `an access key limited to ${limitedTo} agent`,
        who: { is: 'access key', ofWorkspace: 'this', holds: grantablePermissions, limitedTo },
        client: (api, { workspace, agents }) => api.newAccessKey(workspace, grantablePermissions, undefined, [agents[limitedTo]]),
        named: ({ agents }) => ({ agentId: agents.this }),
      }),
    ),
    {
      name: 'an access key of another workspace',
      who: { is: 'access key', ofWorkspace: 'another', holds: grantablePermissions },
      client: (api, { elsewhere }) => api.newAccessKey(elsewhere),
    },
  ];
}

/** Used before it goes, so that a cached look-up would show. */
async function usedAndThen(client: Client, end: () => Promise<{ status: number }>): Promise<Client> {
  const before = await client.get('/me');
  const ended = await end();
  if (before.status !== 200 || ended.status !== 204) throw new Error(`Not ended: ${before.status}, ${ended.status}`);
  return client;
}

function actorOf(userId: string): Actor {
  return { type: 'user', id: userId, name: 'test', address: 'test', requestId: 'test' };
}
