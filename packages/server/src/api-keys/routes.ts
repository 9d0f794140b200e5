import { ApiKey, ApiKeys, CreatedApiKey, NewApiKey } from '@commonplace/contract/api-keys';
import { Page } from '@commonplace/contract/wire';
import { users } from '../auth/access.ts';
import type { Context } from '../context.ts';
import type { Api } from '../http/api.ts';
import { createApiKey, deleteApiKey, listApiKeys, requireApiKey } from './store.ts';

/** The caller's own API keys: /apiKeys */
export function apiKeyRoutes(api: Api, _context: Context): void {
  api.tag('API keys', 'Keys by which a user calls the API: for automation and for managing workspaces.');
  api.route({
    method: 'POST',
    path: '/apiKeys',
    name: 'createApiKey',
    tag: 'API keys',
    summary: 'Make an API key',
    description: 'The key is shown once; only a hash is kept.',
    access: users(),
    body: NewApiKey,
    stores: 'nothing',
    answers: { status: 201, body: CreatedApiKey },
    made: (key) => ({ resource: 'API key', id: key.id }),
    handle: ({ db, by, caller, body, nowMs }) => createApiKey(db, by, caller.userId, body, nowMs),
  });
  api.route({
    method: 'GET',
    path: '/apiKeys',
    name: 'listApiKeys',
    tag: 'API keys',
    summary: 'List the caller’s API keys',
    description: 'Newest first.',
    access: users(),
    query: Page,
    answers: { status: 200, body: ApiKeys },
    handle: async ({ db, caller, query }) => {
      const { rows, meta } = await listApiKeys(db, caller.userId, query);
      return { keys: rows, _meta: meta };
    },
  });
  api.route({
    method: 'GET',
    path: '/apiKeys/:apiKeyId',
    resources: { apiKeyId: 'API key' },
    name: 'getApiKey',
    tag: 'API keys',
    summary: 'Read an API key',
    access: users(),
    answers: { status: 200, body: ApiKey },
    handle: ({ db, caller, params }) => requireApiKey(db, caller.userId, params.apiKeyId),
  });
  api.route({
    method: 'DELETE',
    path: '/apiKeys/:apiKeyId',
    resources: { apiKeyId: 'API key' },
    name: 'deleteApiKey',
    tag: 'API keys',
    summary: 'Delete an API key',
    description: 'Refused from the next request on, on every node.',
    access: users(),
    answers: { status: 204 },
    handle: ({ db, by, caller, params, nowMs }) => deleteApiKey(db, by, caller.userId, params.apiKeyId, nowMs),
  });
}
