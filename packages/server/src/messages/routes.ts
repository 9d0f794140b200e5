import { CreatedMessages, Message, MessageChanges, MessageQuery, Messages, NewMessage, NewMessages } from '@commonplace/contract/messages';
import { AgentMessageSearch, MessageHits, MessageSearch } from '@commonplace/contract/search';
import { Ids } from '@commonplace/contract/wire';
import { requireAgent } from '../agents/store.ts';
import { usersAndKeys } from '../auth/access.ts';
import type { Context } from '../context.ts';
import type { Queryable } from '../db/database.ts';
import type { Api } from '../http/api.ts';
import { extractionJob } from '../memories/store/extraction-queue.ts';
import { requireSession } from '../sessions/store.ts';
import { searchMessages } from './search.ts';
import { createMessages, deleteMessage, deleteMessages, listMessages, measureMessage, requireMessage, updateMessage } from './store.ts';

const messagesPath = '/workspaces/:workspaceId/agents/:agentId/sessions/:sessionId/messages' as const;

/** Messages of one session: …/sessions/{sessionId}/messages */
export function messageRoutes(api: Api, { searcher, deferredJobs, pipelines }: Context): void {
  api.tag('Messages', 'What was said in a session, in the order of time.');
  /** Whether the agent extracts; then it does so soon. */
  const extracting = async (db: Queryable, place: { workspaceId: string; agentId: string }): Promise<boolean> => {
    const isOn = await pipelines.isOn(place, db);
    if (isOn) deferredJobs.defer(extractionJob(place.workspaceId));
    return isOn;
  };

  api.route({
    method: 'POST',
    path: messagesPath,
    name: 'createMessage',
    tag: 'Messages',
    summary: 'Write a message',
    access: usersAndKeys('CAN_CREATE_SESSION_MESSAGE'),
    body: NewMessage,
    stores: () => ({ messages: 1 }),
    answers: { status: 201, body: Message },
    handle: async ({ db, params, body, nowMs }) => {
      const [message] = await createMessages(db, params, [body], await extracting(db, params), nowMs);
      return message as Message;
    },
  });
  api.route({
    method: 'POST',
    path: `${messagesPath}/batch`,
    name: 'createMessages',
    tag: 'Messages',
    summary: 'Write up to 100 messages',
    description: 'All or nothing; answered in the order given.',
    access: usersAndKeys('CAN_CREATE_SESSION_MESSAGE'),
    body: NewMessages,
    stores: ({ body }) => ({ messages: body.messages.length }),
    answers: { status: 201, body: CreatedMessages },
    handle: async ({ db, params, body, nowMs }) => ({
      messages: await createMessages(db, params, body.messages, await extracting(db, params), nowMs),
    }),
  });
  api.route({
    method: 'GET',
    path: messagesPath,
    name: 'listMessages',
    tag: 'Messages',
    summary: 'List the messages',
    description: 'Oldest first; those of one time in the order in which they were written. `where` narrows it by what is in their `meta`.',
    access: usersAndKeys('CAN_LIST_SESSION_MESSAGES'),
    query: MessageQuery,
    answers: { status: 200, body: Messages },
    handle: async ({ db, params, query }) => {
      const { rows, meta } = await listMessages(db, params, query);
      return { messages: rows, _meta: meta };
    },
  });
  api.route({
    method: 'POST',
    path: `${messagesPath}/search`,
    name: 'searchMessages',
    tag: 'Messages',
    summary: 'Search the messages of a session',
    description: 'By meaning and by words, each message judged with those around it. What was acknowledged before is found.',
    access: usersAndKeys('CAN_QUERY_SESSION_MESSAGES'),
    body: MessageSearch,
    isSearch: true,
    changesNothing: true,
    answers: { status: 200, body: MessageHits },
    handle: async ({ db, params, body }) => {
      await requireSession(db, params);
      return { results: await searchMessages(db, searcher, params, body) };
    },
  });
  api.route({
    method: 'POST',
    path: '/workspaces/:workspaceId/agents/:agentId/messages/search',
    name: 'searchAgentMessages',
    tag: 'Messages',
    summary: 'Search the messages of all sessions of an agent',
    description: '`labels` narrows it to sessions that have all of them. Archived sessions are left out unless `includeArchived` is true.',
    access: usersAndKeys('CAN_QUERY_SESSION_MESSAGES'),
    body: AgentMessageSearch,
    isSearch: true,
    changesNothing: true,
    answers: { status: 200, body: MessageHits },
    handle: async ({ db, params, body }) => {
      await requireAgent(db, params.workspaceId, params.agentId);
      return { results: await searchMessages(db, searcher, params, body) };
    },
  });
  api.route({
    method: 'GET',
    path: `${messagesPath}/:messageId`,
    name: 'getMessage',
    tag: 'Messages',
    summary: 'Read a message',
    access: usersAndKeys('CAN_GET_SESSION_MESSAGE'),
    answers: { status: 200, body: Message },
    handle: ({ db, params }) => requireMessage(db, params, params.messageId),
  });
  api.route({
    method: 'PUT',
    path: `${messagesPath}/:messageId`,
    name: 'updateMessage',
    tag: 'Messages',
    summary: 'Change a message',
    access: usersAndKeys('CAN_UPDATE_SESSION_MESSAGE'),
    body: MessageChanges,
    stores: async ({ db, params, body }) => ({ bytes: -(await measureMessage(db, params, params.messageId, body)) }),
    answers: { status: 200, body: Message },
    handle: async ({ db, params, body, nowMs }) => updateMessage(db, params, params.messageId, body, await extracting(db, params), nowMs),
  });
  api.route({
    method: 'DELETE',
    path: `${messagesPath}/batch`,
    name: 'deleteMessages',
    tag: 'Messages',
    summary: 'Delete up to 100 messages',
    description: 'All or nothing: an id that is not there is 404, and nothing is deleted.',
    access: usersAndKeys('CAN_DELETE_SESSION_MESSAGE'),
    body: Ids,
    answers: { status: 204 },
    handle: ({ db, params, body, nowMs }) => deleteMessages(db, params, body.ids, nowMs),
  });
  api.route({
    method: 'DELETE',
    path: `${messagesPath}/:messageId`,
    name: 'deleteMessage',
    tag: 'Messages',
    summary: 'Delete a message',
    access: usersAndKeys('CAN_DELETE_SESSION_MESSAGE'),
    answers: { status: 204 },
    handle: ({ db, params, nowMs }) => deleteMessage(db, params, params.messageId, nowMs),
  });
}
