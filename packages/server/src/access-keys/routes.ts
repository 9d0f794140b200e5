import { AccessKey, AccessKeys, CreatedAccessKey, NewAccessKey } from '@commonplace/contract/access-keys';
import { Page } from '@commonplace/contract/wire';
import { users } from '../auth/access.ts';
import type { Context } from '../context.ts';
import type { Api } from '../http/api.ts';
import { createAccessKey, deleteAccessKey, listAccessKeys, requireAccessKey } from './store.ts';

/** Access keys, by which agents and programs work in one workspace: …/workspaces/{workspaceId}/keys */
export function accessKeyRoutes(api: Api, _context: Context): void {
  api.tag('Access keys', 'Keys by which agents and programs work in one workspace, each with the permissions it was given.');
  api.route({
    method: 'POST',
    path: '/workspaces/:workspaceId/keys',
    name: 'createAccessKey',
    tag: 'Access keys',
    summary: 'Make an access key',
    description: 'The key is shown once; only a hash is kept. With `agentIds` it is limited to these agents.',
    access: users('CAN_CREATE_WORKSPACE_ACCESS_KEY'),
    body: NewAccessKey,
    stores: 'nothing',
    answers: { status: 201, body: CreatedAccessKey },
    made: (key) => ({ resource: 'access key', id: key.id }),
    handle: ({ db, by, params, body, nowMs }) => createAccessKey(db, by, params.workspaceId, body, nowMs),
  });
  api.route({
    method: 'GET',
    path: '/workspaces/:workspaceId/keys',
    name: 'listAccessKeys',
    tag: 'Access keys',
    summary: 'List the access keys',
    description: 'Newest first.',
    access: users('CAN_LIST_WORKSPACE_ACCESS_KEYS'),
    query: Page,
    answers: { status: 200, body: AccessKeys },
    handle: async ({ db, params, query }) => {
      const { rows, meta } = await listAccessKeys(db, params.workspaceId, query);
      return { keys: rows, _meta: meta };
    },
  });
  api.route({
    method: 'GET',
    path: '/workspaces/:workspaceId/keys/:keyId',
    resources: { keyId: 'Access key' },
    name: 'getAccessKey',
    tag: 'Access keys',
    summary: 'Read an access key',
    access: users('CAN_GET_WORKSPACE_ACCESS_KEY'),
    answers: { status: 200, body: AccessKey },
    handle: ({ db, params }) => requireAccessKey(db, params.workspaceId, params.keyId),
  });
  api.route({
    method: 'DELETE',
    path: '/workspaces/:workspaceId/keys/:keyId',
    resources: { keyId: 'Access key' },
    name: 'deleteAccessKey',
    tag: 'Access keys',
    summary: 'Delete an access key',
    description: 'Refused from the next request on, on every node.',
    access: users('CAN_DELETE_WORKSPACE_ACCESS_KEY'),
    answers: { status: 204 },
    handle: ({ db, by, params, nowMs }) => deleteAccessKey(db, by, params.workspaceId, params.keyId, nowMs),
  });
}
