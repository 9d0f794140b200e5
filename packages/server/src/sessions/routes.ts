import type { IncomingHttpHeaders } from 'node:http';
import { labelParameters } from '@commonplace/contract/labels';
import { NewSession, Session, SessionChanges, SessionFork, Sessions } from '@commonplace/contract/sessions';
import { Page } from '@commonplace/contract/wire';
import { z } from 'zod';
import { usersAndKeys } from '../auth/access.ts';
import type { Context } from '../context.ts';
import type { Api } from '../http/api.ts';
import { textBytes } from '../quotas/rules.ts';
import { deleteSession } from './deletion.ts';
import { forkSession, measureFork } from './forks.ts';
import { mergeSelectors, notLabels, selectorOf, sessionBytes } from './rules.ts';
import {
  createSession,
  findOrCreateSession,
  findSameSession,
  listSessions,
  measureSession,
  requireSelectedSession,
  requireSession,
  updateSession,
} from './store.ts';

const PageNumbers = Page.omit({ cursor: true });

/** Read by `selectorOf`: the keys are not known beforehand. */
const id = { type: 'string', maxLength: 255, description: 'The external id.' };
const labels = labelParameters(notLabels);
const Selector = z
  .unknown()
  .optional()
  .transform((query) => selectorOf(query))
  .meta({ type: 'object', properties: { id }, ...labels });
const SelectorPage = z
  .unknown()
  .optional()
  .transform((query, context) => {
    const page = PageNumbers.safeParse(query);
    if (page.success) return { page: page.data, selector: selectorOf(query) };
    for (const issue of page.error.issues) context.issues.push({ ...issue, code: 'custom', input: query });
    return z.NEVER;
  })
  .meta({ type: 'object', properties: { id, ...(z.toJSONSchema(PageNumbers, { io: 'input' }).properties ?? {}) }, ...labels });

const agentPath = '/workspaces/:workspaceId/agents/:agentId' as const;

/** Sessions of an agent: …/agents/{agentId}/sessions */
export function sessionRoutes(api: Api, _context: Context): void {
  api.tag('Sessions', 'Conversations of one agent, found by an id of your own or by labels.');
  api.route({
    method: 'POST',
    path: `${agentPath}/sessions`,
    name: 'createSession',
    tag: 'Sessions',
    summary: 'Make a session',
    description:
      'Id and labels in the body, in the query, or in both where they agree; every query key but `id`, `limit` and `offset` is a label. With `Prefer: resolution=ignore-duplicates` a session that is there already is the answer, with 200, in place of a 409; one with the same id must have the labels that are sent.',
    access: usersAndKeys('CAN_CREATE_AGENT_SESSION'),
    query: Selector,
    body: NewSession,
    stores: async ({ db, params, query, body, request }) => {
      const selector = mergeSelectors(query, body);
      const isThere = ignoresDuplicates(request.headers) && (await findSameSession(db, params, selector));
      return { bytes: (isThere ? 0 : sessionBytes({ ...selector, title: body.title, meta: body.meta })) - textBytes([query, body]) };
    },
    answers: { status: 201, body: Session, also: [200] },
    tellsOfSession: ({ id }) => id,
    handle: async ({ db, params, query, body, nowMs, request, answerWith }) => {
      const selector = mergeSelectors(query, body);
      if (!ignoresDuplicates(request.headers)) return createSession(db, params, selector, body, nowMs);
      const { session, isNew } = await findOrCreateSession(db, params, selector, body, nowMs);
      if (!isNew) answerWith(200);
      return session;
    },
  });
  api.route({
    method: 'GET',
    path: `${agentPath}/sessions`,
    name: 'listSessions',
    tag: 'Sessions',
    summary: 'List the sessions',
    description: 'Last active first. `id` and labels filter together; labels by containment.',
    access: usersAndKeys('CAN_LIST_AGENT_SESSIONS'),
    query: SelectorPage,
    answers: { status: 200, body: Sessions },
    handle: async ({ db, params, query: { page, selector } }) => {
      const { sessions, total } = await listSessions(db, params, selector, page);
      return { sessions, _meta: { ...page, total } };
    },
  });
  api.route({
    method: 'GET',
    path: `${agentPath}/sessions/by-labels`,
    name: 'getSessionByLabels',
    tag: 'Sessions',
    summary: 'Find a session by its external id or its labels',
    description:
      'With `id`: that session, and labels that are given must be among its own. Without: the session with exactly these labels; of several, the one last active.',
    access: usersAndKeys('CAN_GET_AGENT_SESSION'),
    query: Selector,
    answers: { status: 200, body: Session },
    handle: ({ db, params, query }) => requireSelectedSession(db, params, query),
  });
  api.route({
    method: 'PUT',
    path: `${agentPath}/sessions/by-labels`,
    name: 'updateSessionByLabels',
    tag: 'Sessions',
    summary: 'Change a session found by its external id or its labels',
    access: usersAndKeys('CAN_UPDATE_AGENT_SESSION'),
    query: Selector,
    body: SessionChanges,
    stores: async ({ db, params, query, body }) => {
      const { id } = await requireSelectedSession(db, params, query);
      return { bytes: -(await measureSession(db, { ...params, sessionId: id }, body)) };
    },
    answers: { status: 200, body: Session },
    fails: [409],
    tellsOfSession: ({ id }) => id,
    handle: async ({ db, params, query, body, nowMs }) => {
      const { id } = await requireSelectedSession(db, params, query);
      return updateSession(db, { ...params, sessionId: id }, body, nowMs);
    },
  });
  api.route({
    method: 'DELETE',
    path: `${agentPath}/sessions/by-labels`,
    name: 'deleteSessionByLabels',
    tag: 'Sessions',
    summary: 'Delete a session found by its external id or its labels',
    access: usersAndKeys('CAN_DELETE_AGENT_SESSION'),
    query: Selector,
    answers: { status: 204 },
    handle: async ({ db, by, params, query, nowMs }) => {
      const { id } = await requireSelectedSession(db, params, query);
      await deleteSession(db, by, { ...params, sessionId: id }, nowMs);
    },
  });
  api.route({
    method: 'GET',
    path: `${agentPath}/sessions/:sessionId`,
    name: 'getSession',
    tag: 'Sessions',
    summary: 'Read a session',
    access: usersAndKeys('CAN_GET_AGENT_SESSION'),
    answers: { status: 200, body: Session },
    handle: ({ db, params }) => requireSession(db, params),
  });
  api.route({
    method: 'PUT',
    path: `${agentPath}/sessions/:sessionId`,
    name: 'updateSession',
    tag: 'Sessions',
    summary: 'Change a session',
    description:
      '`labels` and `meta` are replaced whole. `status: archived` archives it: it can be read and written to as before, and is left out where all of an agent or of the workspace is searched or listed.',
    access: usersAndKeys('CAN_UPDATE_AGENT_SESSION'),
    body: SessionChanges,
    stores: async ({ db, params, body }) => ({ bytes: -(await measureSession(db, params, body)) }),
    answers: { status: 200, body: Session },
    fails: [409],
    handle: ({ db, params, body, nowMs }) => updateSession(db, params, body, nowMs),
  });
  api.route({
    method: 'DELETE',
    path: `${agentPath}/sessions/:sessionId`,
    name: 'deleteSession',
    tag: 'Sessions',
    summary: 'Delete a session with its messages and memories',
    access: usersAndKeys('CAN_DELETE_AGENT_SESSION'),
    answers: { status: 204 },
    handle: ({ db, by, params, nowMs }) => deleteSession(db, by, params, nowMs),
  });
  api.route({
    method: 'POST',
    path: `${agentPath}/sessions/:sessionId/fork`,
    name: 'forkSession',
    tag: 'Sessions',
    summary: 'Copy a session up to a message',
    description:
      'The copy has an id, messages and memories of its own, the labels of its source, and `meta.forkedFrom`. At most 10,000 messages and 32 MB are copied in one call.',
    access: usersAndKeys('CAN_CREATE_AGENT_SESSION', 'CAN_GET_AGENT_SESSION'),
    body: SessionFork,
    stores: async ({ db, params, body, nowMs }) => {
      const { messages, bytes } = await measureFork(db, params, body, nowMs);
      return { messages, bytes: bytes - textBytes(body) };
    },
    answers: { status: 201, body: Session },
    tellsOfSession: ({ id }) => id,
    handle: ({ db, params, body, nowMs }) => forkSession(db, params, body, nowMs),
  });
}

function ignoresDuplicates({ prefer }: IncomingHttpHeaders): boolean {
  return /(^|[,;\s])resolution=ignore-duplicates([,;\s]|$)/i.test(String(prefer ?? ''));
}
