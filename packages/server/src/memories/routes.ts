import { CreatedMemories, Memories, Memory, MemoryChanges, MemoryQuery, NewMemories, NewMemory } from '@commonplace/contract/memories';
import { Ids } from '@commonplace/contract/wire';
import { usersAndKeys } from '../auth/access.ts';
import type { Context } from '../context.ts';
import type { Api } from '../http/api.ts';
import { createMemories, deleteMemories, deleteMemory, listMemories, requireMemory, updateMemory } from './store.ts';

const memoriesPath = '/workspaces/:workspaceId/agents/:agentId/sessions/:sessionId/memories' as const;

/** Memories of one session: …/sessions/{sessionId}/memories */
export function memoryRoutes(api: Api, _context: Context): void {
  api.route({
    method: 'POST',
    path: memoriesPath,
    name: 'createMemory',
    tag: 'Memories',
    summary: 'Write a memory',
    access: usersAndKeys('CAN_CREATE_SESSION_MEMORY'),
    body: NewMemory,
    answers: { status: 201, body: Memory },
    handle: async ({ db, params, body, nowMs }) => {
      const [memory] = await createMemories(db, params, [body], nowMs);
      return memory as Memory;
    },
  });
  api.route({
    method: 'POST',
    path: `${memoriesPath}/batch`,
    name: 'createMemories',
    tag: 'Memories',
    summary: 'Write up to 100 memories',
    description: 'All or nothing; answered in the order given.',
    access: usersAndKeys('CAN_CREATE_SESSION_MEMORY'),
    body: NewMemories,
    answers: { status: 201, body: CreatedMemories },
    handle: async ({ db, params, body, nowMs }) => ({ memories: await createMemories(db, params, body.memories, nowMs) }),
  });
  api.route({
    method: 'GET',
    path: memoriesPath,
    name: 'listMemories',
    tag: 'Memories',
    summary: 'List the memories',
    description: 'Newest first.',
    access: usersAndKeys('CAN_LIST_SESSION_MEMORIES'),
    query: MemoryQuery,
    answers: { status: 200, body: Memories },
    handle: async ({ db, params, query }) => {
      const { rows, meta } = await listMemories(db, params, query);
      return { memories: rows, _meta: meta };
    },
  });
  api.route({
    method: 'GET',
    path: `${memoriesPath}/:memoryId`,
    name: 'getMemory',
    tag: 'Memories',
    summary: 'Read a memory',
    access: usersAndKeys('CAN_GET_SESSION_MEMORY'),
    answers: { status: 200, body: Memory },
    handle: ({ db, params }) => requireMemory(db, params, params.memoryId),
  });
  api.route({
    method: 'PUT',
    path: `${memoriesPath}/:memoryId`,
    name: 'updateMemory',
    tag: 'Memories',
    summary: 'Change a memory',
    access: usersAndKeys('CAN_UPDATE_SESSION_MEMORY'),
    body: MemoryChanges,
    answers: { status: 200, body: Memory },
    handle: ({ db, params, body, nowMs }) => updateMemory(db, params, params.memoryId, body, nowMs),
  });
  api.route({
    method: 'DELETE',
    path: `${memoriesPath}/batch`,
    name: 'deleteMemories',
    tag: 'Memories',
    summary: 'Delete up to 100 memories',
    description: 'All or nothing: an id that is not there is 404, and nothing is deleted.',
    access: usersAndKeys('CAN_DELETE_SESSION_MEMORY'),
    body: Ids,
    answers: { status: 204 },
    handle: ({ db, params, body }) => deleteMemories(db, params, body.ids),
  });
  api.route({
    method: 'DELETE',
    path: `${memoriesPath}/:memoryId`,
    name: 'deleteMemory',
    tag: 'Memories',
    summary: 'Delete a memory',
    access: usersAndKeys('CAN_DELETE_SESSION_MEMORY'),
    answers: { status: 204 },
    handle: ({ db, params }) => deleteMemory(db, params, params.memoryId),
  });
}
