import { AgentContextRequest, type ContextPart, ContextRequest, ModelContext } from '@commonplace/contract/contexts';
import { usersAndKeysByPart } from '../auth/access.ts';
import type { Context } from '../context.ts';
import { forbidden } from '../errors.ts';
import type { Api } from '../http/api.ts';
import { moduleBeside } from '../threads/thread-file.ts';
import { ThreadPool } from '../threads/thread-pool.ts';
import { gatherCandidates } from './gathering.ts';

const agentPath = '/workspaces/:workspaceId/agents/:agentId' as const;

/** Those of the calls that it takes the place of. */
const access = usersAndKeysByPart({
  prompt: ['CAN_GET_PROMPT'],
  summary: ['CAN_LIST_SESSION_MEMORIES'],
  memories: ['CAN_QUERY_SESSION_MEMORIES'],
  knowledge: ['CAN_QUERY_WORKSPACE_DOCUMENTS'],
  messages: ['CAN_LIST_SESSION_MESSAGES', 'CAN_QUERY_SESSION_MESSAGES'],
});

/** What is beyond takes a second, where somebody means harm: it has a thread of its own, and nobody else waits for it. */
const SMALL_TOKEN_BUDGET = 20_000;
/** Loading a vocabulary takes a moment: whoever had a conversation comes back to it within this time. */
const IDLE_MS = 10 * 60_000;

/** What an agent needs before it asks a model, in one call: …/sessions/{sessionId}/context, …/agents/{agentId}/context */
export function contextRoutes(api: Api, { searcher, prompts, log }: Context): void {
  const module = moduleBeside(import.meta.url, 'packing');
  const newPool = (name: string) =>
    new ThreadPool<typeof import('./packing.ts')>({ name, module, log, idleMs: IDLE_MS, warnAfterMs: 1_000 });
  const packing = newPool('context-packing');
  const largePacking = newPool('large-context-packing');
  api.onClose(async () => {
    await Promise.all([packing.close(), largePacking.close()]);
  });
  api.tag('Context', 'What an agent needs before it asks a model, packed to a budget of tokens.');
  const description =
    'The agent’s prompt, the summary, the memories and the knowledge that bear on the query, the latest messages and earlier ones that bear on it, nothing twice. Each kind needs the permission of reading it: one that the caller may not read is left out, and 403 where `include` names it.';

  const build = async (...[call, place, request, parts, nowMs]: Parameters<typeof gatherCandidates>): Promise<ModelContext> => {
    const task = await gatherCandidates(call, place, request, parts, nowMs);
    const { tokenBudget, tokenizer } = request;
    const pool = tokenBudget <= SMALL_TOKEN_BUDGET ? packing : largePacking;
    return { ...(await pool.run('packContext', task)), tokenBudget, tokenizer };
  };

  api.route({
    method: 'POST',
    path: `${agentPath}/sessions/:sessionId/context`,
    name: 'buildSessionContext',
    tag: 'Context',
    summary: 'Build the context for a session’s next model call',
    description,
    access,
    body: ContextRequest,
    changesNothing: true,
    answers: { status: 200, body: ModelContext },
    handle: ({ db, params, body, parts, nowMs }) =>
      build({ db, searcher, prompts }, params, body, { readable: parts, included: includedParts(body.include, parts) }, nowMs),
  });
  api.route({
    method: 'POST',
    path: `${agentPath}/context`,
    name: 'buildAgentContext',
    tag: 'Context',
    summary: 'Build the context for a person, across their sessions',
    description: `Of all sessions of the agent that have all of the labels, without those that are archived unless \`includeArchived\` is true. ${description}`,
    access,
    body: AgentContextRequest,
    changesNothing: true,
    answers: { status: 200, body: ModelContext },
    handle: ({ db, params, body, parts, nowMs }) => {
      const { labels, includeArchived } = body;
      return build(
        { db, searcher, prompts },
        { ...params, labels, includeArchived: includeArchived ?? false },
        body,
        { readable: parts, included: includedParts(body.include, parts) },
        nowMs,
      );
    },
  });
}

/** 403 for one that was named and may not be read. */
function includedParts(named: readonly ContextPart[] | null | undefined, readable: readonly ContextPart[]): readonly ContextPart[] {
  const refused = named?.find((part) => !readable.includes(part));
  if (refused) throw forbidden(`Missing permission ${access.parts[refused].join(', ')} for ${refused}`);
  return named ?? readable;
}
