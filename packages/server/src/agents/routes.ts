import { Agent, AgentChanges, AgentQuery, Agents, NewAgent } from '@commonplace/contract/agents';
import { narrowed, usersAndKeys } from '../auth/access.ts';
import type { Context } from '../context.ts';
import type { Api } from '../http/api.ts';
import { createAgent, deleteAgent, listAgents, measureAgent, requireAgent, updateAgent } from './store.ts';

/** Agents of a workspace: …/workspaces/{workspaceId}/agents */
export function agentRoutes(api: Api, _context: Context): void {
  api.tag('Agents', 'Those whose conversations are kept: each has its sessions, its prompt and its part of the knowledge.');
  api.route({
    method: 'POST',
    path: '/workspaces/:workspaceId/agents',
    name: 'createAgent',
    tag: 'Agents',
    summary: 'Make an agent',
    access: usersAndKeys('CAN_CREATE_AGENT'),
    body: NewAgent,
    stores: 'text',
    answers: { status: 201, body: Agent },
    handle: ({ db, by, params, body, nowMs }) => createAgent(db, by, params.workspaceId, body, nowMs),
  });
  api.route({
    method: 'GET',
    path: '/workspaces/:workspaceId/agents',
    name: 'listAgents',
    tag: 'Agents',
    summary: 'List the agents',
    description: 'Newest first.',
    access: narrowed(usersAndKeys('CAN_LIST_AGENTS')),
    query: AgentQuery,
    answers: { status: 200, body: Agents },
    handle: async ({ db, params, query, agentIds }) => {
      const { rows, meta } = await listAgents(db, params.workspaceId, agentIds, query);
      return { agents: rows, _meta: meta };
    },
  });
  api.route({
    method: 'GET',
    path: '/workspaces/:workspaceId/agents/:agentId',
    name: 'getAgent',
    tag: 'Agents',
    summary: 'Read an agent',
    access: usersAndKeys('CAN_GET_AGENT'),
    answers: { status: 200, body: Agent },
    handle: ({ db, params }) => requireAgent(db, params.workspaceId, params.agentId),
  });
  api.route({
    method: 'PUT',
    path: '/workspaces/:workspaceId/agents/:agentId',
    name: 'updateAgent',
    tag: 'Agents',
    summary: 'Change an agent',
    access: usersAndKeys('CAN_UPDATE_AGENT'),
    body: AgentChanges,
    stores: async ({ db, params, body }) => ({ bytes: -(await measureAgent(db, params.workspaceId, params.agentId, body)) }),
    answers: { status: 200, body: Agent },
    handle: ({ db, by, params, body, nowMs }) => updateAgent(db, by, params.workspaceId, params.agentId, body, nowMs),
  });
  api.route({
    method: 'DELETE',
    path: '/workspaces/:workspaceId/agents/:agentId',
    name: 'deleteAgent',
    tag: 'Agents',
    summary: 'Delete an agent and its sessions',
    access: usersAndKeys('CAN_DELETE_AGENT'),
    answers: { status: 204 },
    handle: ({ db, by, params, nowMs }) => deleteAgent(db, by, params.workspaceId, params.agentId, nowMs),
  });
}
