/** Tools for the memories of one session, and of one person across sessions. */
import { Memory, MemoryKind } from '@commonplace/contract/memories';
import { MemoryHit, MemorySearch } from '@commonplace/contract/search';
import type { Session } from '@commonplace/contract/sessions';
import { SearchWhere } from '@commonplace/contract/where';
import { Content, Id, type PageMeta } from '@commonplace/contract/wire';
import { z } from 'zod';
import { AppError } from '../errors.ts';
import { personLabelOf } from '../memories/store/people.ts';
import { findScopedSession, requireAgentId, requireScopedAgent, requireScopedSession, requireSessionName } from './places.ts';
import { type ToolContext, tool } from './tool.ts';

const reads = { readOnlyHint: true } as const;
const adds = { readOnlyHint: false, destructiveHint: false, idempotentHint: false } as const;
const changes = { readOnlyHint: false, destructiveHint: true, idempotentHint: true } as const;

const Metadata = z
  .union([z.record(z.string(), z.unknown()), z.string()])
  .optional()
  .describe(
    'Anything worth keeping beside the text, such as where it came from: a JSON object, or a string that holds one; at most 64 kB. It comes back as `meta`.',
  );
const memoryId = Id.describe('The `id` of a memory, from get_memories, search_memories or add_memory.');
const kindText =
  'long_lived: lasting facts such as identity; preference: likes and dislikes; fact: anything else that is true; short_lived: today’s plans and the state of a task; summary: what was talked about.';

/** Whose session it is, every memory of a tool’s answer would repeat. */
const KeptMemory = Memory.omit({ sessionId: true });
const Hits = z.object({ results: z.array(MemoryHit.omit({ explain: true })).describe('Best first.') });
const Done = z.object({ deleted: z.boolean() });
const Search = MemorySearch.pick({ query: true, limit: true, where: true });

export const memoryTools = [
  tool({
    name: 'add_memory',
    title: 'Add a memory',
    description:
      'Keep one short statement for later, as a sentence that makes sense on its own (“User prefers aisle seats”). Use it when you learn something that will matter beyond this turn. Makes the session when it is not there yet. Returns the memory with its id.',
    route: 'createMemory',
    arguments: z.object({
      content: Content.describe('The statement, in the third person; at most 1 MB.'),
      kind: MemoryKind.default('long_lived').describe(kindText),
      metadata: Metadata,
    }),
    answer: KeptMemory,
    annotations: adds,
    run: async (context, { content, kind, metadata }) => {
      const session = (await findScopedSession(context.db, context.scope)) ?? (await makeSession(context));
      return createMemory(context, session, { content, kind, meta: metadata });
    },
  }),
  tool({
    name: 'search_memories',
    title: 'Search the memories of this session',
    description:
      'Find memories of this session by meaning and by words. Use it before you answer anything that may depend on what was said earlier. Returns the best hits with id, kind, text and a score from 0 to 1.',
    route: 'searchMemories',
    arguments: Search,
    answer: Hits,
    annotations: reads,
    run: async (context, body) => context.routes.call(context.scope, 'searchMemories', { params: await sessionPath(context), body }),
  }),
  tool({
    name: 'get_memories',
    title: 'List the memories of this session',
    description:
      'List the memories of this session, newest first. Use it to see all there is; to find something in particular, search_memories is better. Returns memories, how many there are, and next_offset where there are more.',
    route: 'listMemories',
    arguments: z.object({
      limit: z.int().min(1).max(100).optional().describe('How many to return, 1 to 100; default 50.'),
      offset: z.int().min(0).optional().describe('How many to pass over.'),
      where: SearchWhere,
    }),
    answer: z.object({
      memories: z.array(KeptMemory),
      total: z.int(),
      next_offset: z.int().optional().describe('The `offset` of the next page; absent on the last one.'),
    }),
    annotations: reads,
    run: async (context, { where, ...place }) => {
      const query = { ...place, ...(where && { where: JSON.stringify(where) }) };
      const page = { params: await sessionPath(context), query };
      const { memories, _meta } = await context.routes.call<{ memories: Memory[]; _meta: PageMeta }>(context.scope, 'listMemories', page);
      const next = _meta.offset + memories.length;
      return { memories, total: _meta.total, ...(memories.length > 0 && next < _meta.total && { next_offset: next }) };
    },
  }),
  tool({
    name: 'get_memory',
    title: 'Read a memory',
    description: 'Read one memory of this session by its id, whole.',
    route: 'getMemory',
    arguments: z.object({ memory_id: memoryId }),
    answer: KeptMemory,
    annotations: reads,
    run: async (context, { memory_id }) =>
      context.routes.call(context.scope, 'getMemory', { params: await memoryPath(context, memory_id) }),
  }),
  tool({
    name: 'update_memory',
    title: 'Change a memory',
    description:
      'Replace the text of a memory, and its kind or metadata where given. Use it when something turned out to be otherwise, in place of adding a second memory that contradicts the first. Returns the memory as it is now.',
    route: 'updateMemory',
    arguments: z.object({
      memory_id: memoryId,
      content: Content.describe('The new text.'),
      kind: MemoryKind.optional().describe(`Unchanged by default. ${kindText}`),
      metadata: Metadata,
    }),
    answer: KeptMemory,
    annotations: changes,
    run: async (context, { memory_id, content, kind, metadata }) => {
      const params = await memoryPath(context, memory_id);
      return context.routes.call(context.scope, 'updateMemory', { params, body: { content, kind, meta: metadata } });
    },
  }),
  tool({
    name: 'delete_memory',
    title: 'Delete a memory',
    description: 'Forget one memory of this session for good. Use it when it is wrong, or when the user asks for it.',
    route: 'deleteMemory',
    arguments: z.object({ memory_id: memoryId }),
    answer: Done,
    annotations: changes,
    run: async (context, { memory_id }) => {
      await context.routes.call(context.scope, 'deleteMemory', { params: await memoryPath(context, memory_id) });
      return { deleted: true };
    },
  }),
  tool({
    name: 'delete_session',
    title: 'Delete this session',
    description:
      'Delete this session with all of its messages and memories, for good. Use it only when the user asks to forget everything that was said here.',
    route: 'deleteSession',
    arguments: z.object({}),
    answer: Done,
    annotations: changes,
    run: async (context) => {
      await context.routes.call(context.scope, 'deleteSession', { params: await sessionPath(context) });
      return { deleted: true };
    },
  }),
  tool({
    name: 'remember',
    title: 'Remember something about this person',
    description:
      'Keep a lasting statement about the person whom this session belongs to. Unlike add_memory it is meant for all of their sessions: recall finds it in every one of them. Returns the memory with its id. Works where the agent has a memorySubject; elsewhere use add_memory.',
    route: 'createMemory',
    arguments: z.object({ content: Content.describe('The statement, in the third person (“User is allergic to nuts”).') }),
    answer: KeptMemory,
    annotations: adds,
    run: async (context, { content }) => {
      const { session } = await requirePerson(context);
      return createMemory(context, session, { content, kind: 'long_lived' });
    },
  }),
  tool({
    name: 'recall',
    title: 'Recall what is known about this person',
    description:
      'Find what is known about the person whom this session belongs to, in all of their sessions, by meaning and by words. Use it at the start of a conversation and whenever their history may matter. Returns the best hits with id, kind, text, a score from 0 to 1, and the session they come from. Works where the agent has a memorySubject; elsewhere use search_memories.',
    route: 'searchAgentMemories',
    arguments: MemorySearch.pick({ query: true, where: true }),
    answer: Hits,
    annotations: reads,
    run: async (context, { query, where }) => {
      const { labels, agentId } = await requirePerson(context);
      return context.routes.call(context.scope, 'searchAgentMemories', { params: { agentId }, body: { query, where, labels } });
    },
  }),
];

async function sessionPath({ db, scope }: ToolContext): Promise<{ agentId: string; sessionId: string }> {
  const { agentId, id } = await requireScopedSession(db, scope);
  return { agentId, sessionId: id };
}

async function memoryPath(context: ToolContext, memoryId: string) {
  return { ...(await sessionPath(context)), memoryId };
}

/** As the caller, who may lack the permission. Another request that makes it at the same time is no failure. */
async function makeSession({ scope, routes }: ToolContext): Promise<Session> {
  const name = requireSessionName(scope);
  try {
    return await routes.call<Session>(scope, 'createSession', {
      params: { agentId: requireAgentId(scope) },
      body: { id: name, labels: scope.sessionLabels },
      headers: { prefer: 'resolution=ignore-duplicates' },
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'forbidden') throw error;
    throw new AppError('forbidden', `Session "${name}" is not there, and this key may not make it: ${error.message}`, { cause: error });
  }
}

async function createMemory({ scope, routes }: ToolContext, session: Session, body: { content: string; kind: MemoryKind; meta?: unknown }) {
  const params = { agentId: session.agentId, sessionId: session.id };
  const { idempotencyKey } = scope;
  const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
  return routes.call<Memory>(scope, 'createMemory', { params, body, headers });
}

/** The sessions of one agent that share the label which its `memorySubject` names are one person’s. */
async function requirePerson({ db, scope }: ToolContext): Promise<{ session: Session; agentId: string; labels: Record<string, string> }> {
  const { configs } = await requireScopedAgent(db, scope);
  if (!configs.memorySubject)
    throw new AppError(
      'bad_request',
      'This agent has no configs.memorySubject, so no person is known here: use add_memory and search_memories',
    );
  const session = await requireScopedSession(db, scope);
  const label = personLabelOf({ configs, labels: session.labels });
  if (!label)
    throw new AppError(
      'bad_request',
      `This session has no label "${configs.memorySubject}", so its person is not known: use add_memory and search_memories`,
    );
  return { session, agentId: session.agentId, labels: Object.fromEntries([label]) };
}
