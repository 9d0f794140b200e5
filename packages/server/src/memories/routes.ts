import {
  AgentMemoryQuery,
  CreatedMemories,
  ExtractionStatus,
  Memories,
  Memory,
  MemoryChanges,
  MemoryHistory,
  MemoryQuery,
  NewMemories,
  NewMemory,
  Regeneration,
} from '@commonplace/contract/memories';
import { AgentMemorySearch, MemoryHits, MemorySearch } from '@commonplace/contract/search';
import { Ids } from '@commonplace/contract/wire';
import { requireAgent } from '../agents/store.ts';
import { usersAndKeys } from '../auth/access.ts';
import type { Context } from '../context.ts';
import type { Api } from '../http/api.ts';
import { requireSession } from '../sessions/store.ts';
import { searchMemories } from './search.ts';
import { extractionStatus, requestRegeneration } from './store/extraction-state.ts';
import { memoryHistory } from './store/history.ts';
import {
  createMemories,
  deleteMemories,
  deleteMemory,
  listAgentMemories,
  listMemories,
  measureMemory,
  requireMemory,
  updateMemory,
} from './store/memories.ts';

const agentMemoriesPath = '/workspaces/:workspaceId/agents/:agentId/memories' as const;
const memoriesPath = '/workspaces/:workspaceId/agents/:agentId/sessions/:sessionId/memories' as const;

/** Memories of one session: …/sessions/{sessionId}/memories */
export function memoryRoutes(api: Api, { searcher, pipelines }: Context): void {
  api.tag('Memories', 'What is worth remembering of a session: written, or extracted from its messages.');
  api.route({
    method: 'POST',
    path: memoriesPath,
    name: 'createMemory',
    tag: 'Memories',
    summary: 'Write a memory',
    access: usersAndKeys('CAN_CREATE_SESSION_MEMORY'),
    body: NewMemory,
    stores: 'text',
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
    stores: 'text',
    answers: { status: 201, body: CreatedMemories },
    handle: async ({ db, params, body, nowMs }) => ({ memories: await createMemories(db, params, body.memories, nowMs) }),
  });
  api.route({
    method: 'GET',
    path: memoriesPath,
    name: 'listMemories',
    tag: 'Memories',
    summary: 'List the memories',
    description: 'Newest first: what holds now, or what held `asOf` a moment. `where` narrows it by what is in their `meta`.',
    access: usersAndKeys('CAN_LIST_SESSION_MEMORIES'),
    query: MemoryQuery,
    answers: { status: 200, body: Memories },
    handle: async ({ db, params, query, nowMs }) => {
      const { rows, meta } = await listMemories(db, params, query, nowMs);
      return { memories: rows, _meta: meta };
    },
  });
  api.route({
    method: 'POST',
    path: `${memoriesPath}/search`,
    name: 'searchMemories',
    tag: 'Memories',
    summary: 'Search the memories of a session',
    description: 'By meaning and by words. What was acknowledged before is found.',
    access: usersAndKeys('CAN_QUERY_SESSION_MEMORIES'),
    body: MemorySearch,
    isSearch: true,
    changesNothing: true,
    answers: { status: 200, body: MemoryHits },
    handle: async ({ db, params, body, nowMs }) => {
      await requireSession(db, params);
      return { results: await searchMemories(db, searcher, params, body, nowMs) };
    },
  });
  api.route({
    method: 'GET',
    path: agentMemoriesPath,
    name: 'listAgentMemories',
    tag: 'Memories',
    summary: 'List the memories of all sessions of an agent',
    description:
      'Newest first: what holds now, or what held `asOf` a moment. Every key but `id`, `kind`, `asOf`, `where`, `includeArchived`, `limit`, `offset` and `cursor` is a label that the sessions must have. What is in archived sessions is left out unless `includeArchived=true`.',
    access: usersAndKeys('CAN_LIST_SESSION_MEMORIES'),
    query: AgentMemoryQuery,
    answers: { status: 200, body: Memories },
    handle: async ({ db, params, query, nowMs }) => {
      const { rows, meta } = await listAgentMemories(db, params, query, nowMs);
      return { memories: rows, _meta: meta };
    },
  });
  api.route({
    method: 'POST',
    path: `${agentMemoriesPath}/search`,
    name: 'searchAgentMemories',
    tag: 'Memories',
    summary: 'Search the memories of all sessions of an agent',
    description:
      '`labels` narrows it to sessions that have all of them. What is in archived sessions is left out unless `includeArchived` is true.',
    access: usersAndKeys('CAN_QUERY_SESSION_MEMORIES'),
    body: AgentMemorySearch,
    isSearch: true,
    changesNothing: true,
    answers: { status: 200, body: MemoryHits },
    handle: async ({ db, params, body, nowMs }) => {
      await requireAgent(db, params.workspaceId, params.agentId);
      return { results: await searchMemories(db, searcher, params, body, nowMs) };
    },
  });
  api.route({
    method: 'POST',
    path: `${memoriesPath}/regenerate`,
    name: 'regenerateMemories',
    tag: 'Memories',
    summary: 'Rebuild the extracted memories of a session from its messages',
    description: 'In the background; until it is done, what was extracted before stays. What a person or program wrote is spared.',
    access: usersAndKeys('CAN_CREATE_SESSION_MEMORY', 'CAN_DELETE_SESSION_MEMORY'),
    stores: 'nothing',
    answers: { status: 202, body: Regeneration },
    handle: async ({ db, params, nowMs }) => ({ queued: await requestRegeneration(db, params, nowMs) }),
  });
  api.route({
    method: 'GET',
    path: `${memoriesPath}/status`,
    name: 'getExtractionStatus',
    tag: 'Memories',
    summary: 'See how far the extraction of memories is',
    access: usersAndKeys('CAN_LIST_SESSION_MEMORIES'),
    answers: { status: 200, body: ExtractionStatus },
    handle: async ({ db, params }) => extractionStatus(db, params, await pipelines.isOn(params, db)),
  });
  api.route({
    method: 'GET',
    path: `${memoriesPath}/:memoryId/history`,
    name: 'getMemoryHistory',
    tag: 'Memories',
    summary: 'See what happened to a memory',
    description: 'With those that it took the place of, and the messages that caused it.',
    access: usersAndKeys('CAN_GET_SESSION_MEMORY'),
    answers: { status: 200, body: MemoryHistory },
    handle: async ({ db, params, nowMs }) => ({ history: await memoryHistory(db, params, params.memoryId, nowMs) }),
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
    stores: async ({ db, params, body }) => ({ bytes: -(await measureMemory(db, params, params.memoryId, body)) }),
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
    handle: ({ db, params, body, nowMs }) => deleteMemories(db, params, body.ids, nowMs),
  });
  api.route({
    method: 'DELETE',
    path: `${memoriesPath}/:memoryId`,
    name: 'deleteMemory',
    tag: 'Memories',
    summary: 'Delete a memory',
    access: usersAndKeys('CAN_DELETE_SESSION_MEMORY'),
    answers: { status: 204 },
    handle: ({ db, params, nowMs }) => deleteMemory(db, params, params.memoryId, nowMs),
  });
}
