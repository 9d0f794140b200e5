/** Everything that takes something away from a caller, each as a request, and how to see from outside that it is in force. */
import { newId } from '../src/db/ids.ts';
import { type Client, made, type TestApi } from './api.ts';

export interface PlainRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object;
}

export interface Takeaway {
  /** As in the declaration: `DELETE /me`. */
  readonly route: string;
  readonly act: PlainRequest;
  /** Asked before, so that its caller is remembered, and after. */
  readonly probe: PlainRequest;
  readonly seen: (status: number, body: { _meta?: { total: number } }) => number;
  readonly before: number;
  readonly after: number;
  /** What a repetition is answered, and whether it gets as far as the item: who has nothing left is refused before. */
  readonly again: number;
  readonly reachesItem: boolean;
}

const statusOf = (status: number) => status;
const request = (method: string, path: string, { headers }: Client, body?: object): PlainRequest => ({
  method,
  path,
  headers,
  ...(body && { body }),
});

/** Routes that only a user may call, that change something, and that leave every credential and every role as it was. */
export const takesNothing: readonly string[] = [
  'POST /apiKeys',
  'POST /workspaces',
  'PUT /workspaces/:workspaceId',
  'POST /workspaces/:workspaceId/keys',
  'POST /workspaces/:workspaceId/invites',
  'DELETE /workspaces/:workspaceId/invites/:inviteId',
  // A member can't be invited, and a stranger's role is not remembered.
  'POST /invites/:token/accept',
  'POST /invites/:token/reject',
  'POST /workspaces/:workspaceId/jobs/:jobId/retry',
  'POST /workspaces/:workspaceId/import',
  // What goes is read from the database, and not remembered.
  'POST /workspaces/:workspaceId/forget',
  'POST /workspaces/:workspaceId/agents/:agentId/forget',
  'POST /workspaces/:workspaceId/webhooks',
  'PUT /workspaces/:workspaceId/webhooks/:webhookId',
  'DELETE /workspaces/:workspaceId/webhooks/:webhookId',
  'POST /workspaces/:workspaceId/webhooks/:webhookId/test',
  'POST /workspaces/:workspaceId/webhooks/:webhookId/rotate',
  'POST /workspaces/:workspaceId/webhooks/:webhookId/deliveries/:deliveryId/redeliver',
];

/** One of each, in workspaces and accounts of their own. */
export async function newTakeaways(api: TestApi): Promise<Takeaway[]> {
  const make: (() => Promise<Takeaway>)[] = [
    async () => {
      const workspace = await api.newWorkspace();
      const key = await api.newAccessKey(workspace);
      return {
        again: 404,
        reachesItem: true,
        route: 'DELETE /workspaces/:workspaceId/keys/:keyId',
        act: request('DELETE', `${workspace.url}/keys/${key.keyId}`, workspace.owner),
        probe: request('GET', '/me', key),
        ...refused,
      };
    },
    async () => {
      const user = await api.newUser();
      const { id, key } = made(await user.client.post('/apiKeys', { name: 'another' }));
      return {
        again: 404,
        reachesItem: true,
        route: 'DELETE /apiKeys/:apiKeyId',
        act: request('DELETE', `/apiKeys/${id}`, user.client),
        probe: request('GET', '/me', api.client({ 'x-api-key': key })),
        ...refused,
      };
    },
    async () => {
      const browser = await api.newBrowser(await api.newUser());
      return {
        again: 401,
        reachesItem: false,
        route: 'POST /auth/logout',
        act: request('POST', '/auth/logout', browser),
        probe: request('GET', '/me', browser),
        ...refused,
      };
    },
    async () => {
      const user = await api.newUser();
      const body = { currentPassword: 'there is none yet', newPassword: `a long phrase ${newId()}` };
      return {
        again: 403,
        reachesItem: false,
        route: 'PUT /auth/password',
        act: request('PUT', '/auth/password', user.client, body),
        probe: request('GET', '/me', await api.newBrowser(user)),
        ...refused,
      };
    },
    async () => {
      const user = await api.newUser();
      return {
        again: 401,
        reachesItem: false,
        route: 'DELETE /me',
        act: request('DELETE', '/me', user.client),
        probe: request('GET', '/me', await api.newBrowser(user)),
        ...refused,
      };
    },
    async () => {
      const [workspace, user] = [await api.newWorkspace(), await api.newUser()];
      made(await workspace.owner.post(`${workspace.url}/invites`, { email: user.email, role: 'admin' }));
      return {
        again: 200,
        reachesItem: true,
        route: 'PUT /me',
        act: request('PUT', '/me', user.client, { email: `${newId()}@example.com` }),
        probe: request('GET', '/invites', user.client),
        seen: (_status, body) => body._meta?.total ?? -1,
        before: 1,
        after: 0,
      };
    },
    async () => {
      const workspace = await api.newWorkspace();
      const member = await api.newMember(workspace, 'admin');
      return {
        again: 200,
        reachesItem: true,
        route: 'PUT /workspaces/:workspaceId/members/:userId',
        act: request('PUT', `${workspace.url}/members/${member.id}`, workspace.owner, { role: 'readonly' }),
        probe: request('GET', `${workspace.url}/keys`, member.client),
        seen: statusOf,
        before: 200,
        after: 403,
      };
    },
    async () => {
      const workspace = await api.newWorkspace();
      const member = await api.newMember(workspace, 'admin');
      return {
        again: 404,
        reachesItem: true,
        route: 'DELETE /workspaces/:workspaceId/members/:userId',
        act: request('DELETE', `${workspace.url}/members/${member.id}`, workspace.owner),
        probe: request('GET', `${workspace.url}/keys`, member.client),
        seen: statusOf,
        before: 200,
        after: 404,
      };
    },
    async () => {
      const workspace = await api.newWorkspace();
      return {
        again: 404,
        reachesItem: false,
        route: 'DELETE /workspaces/:workspaceId',
        act: request('DELETE', workspace.url, workspace.owner),
        probe: request('GET', '/me', await api.newAccessKey(workspace)),
        ...refused,
      };
    },
  ];
  return Promise.all(make.map((one) => one()));
}

const refused = { seen: statusOf, before: 200, after: 401 } as const;

/** In the audit log: how the database itself tells that an act was committed. */
export const actions = [
  'access_key.delete',
  'api_key.delete',
  'user.logout',
  'user.change_password',
  'user.delete',
  'user.update',
  'member.update',
  'member.remove',
  'workspace.delete',
] as const;
