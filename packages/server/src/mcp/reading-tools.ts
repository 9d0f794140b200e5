/** Tools that read what is no memory: messages, knowledge, prompts, and all of it as one context. */
import { ChatMessage, type Prompt, PromptType, type PromptVersion, type RenderedPrompt } from '@commonplace/contract/prompts';
import { DocumentHit, DocumentSearch, MessageHit, MessageSearch } from '@commonplace/contract/search';
import { z } from 'zod';
import { AppError } from '../errors.ts';
import { requireAgentId, requireScopedAgent, requireScopedSession } from './places.ts';
import { type ToolContext, tool } from './tool.ts';

const reads = { readOnlyHint: true } as const;
const Variables = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional();

export const readingTools = [
  tool({
    name: 'search_messages',
    title: 'Search the messages of this session',
    description:
      'Find what was said in this session, word for word, by meaning and by words. Use it when the exact wording matters, or when search_memories does not have it. Returns the best messages with id, role, text and a score from 0 to 1.',
    route: 'searchMessages',
    arguments: MessageSearch.pick({ query: true, limit: true, where: true }),
    answer: z.object({ results: z.array(MessageHit.omit({ sessionId: true, explain: true })).describe('Best first.') }),
    annotations: reads,
    run: async ({ db, scope, routes }, body) => {
      const { agentId, id: sessionId } = await requireScopedSession(db, scope);
      return routes.call(scope, 'searchMessages', { params: { agentId, sessionId }, body });
    },
  }),
  tool({
    name: 'search_knowledge',
    title: 'Search the knowledge documents',
    description:
      'Find passages of the team’s documents by meaning and by words. Use it for anything that a handbook, a policy or a manual would say, and name the title when you answer from it. Returns the best passages with their document, title, heading and a score from 0 to 1.',
    route: 'searchDocuments',
    arguments: DocumentSearch.pick({ query: true, limit: true, labels: true }),
    answer: z.object({ results: z.array(DocumentHit.omit({ explain: true })).describe('Best first.') }),
    annotations: reads,
    // An agent sees what its `kbLabels` let it see.
    run: async ({ scope, routes }, body) =>
      scope.agentId === undefined
        ? routes.call(scope, 'searchDocuments', { body })
        : routes.call(scope, 'searchAgentDocuments', { params: { agentId: requireAgentId(scope) }, body }),
  }),
  tool({
    name: 'get_prompt',
    title: 'Read a prompt',
    description:
      'Read a prompt of the team by its name, or the prompt of this agent when no name is given. Without variables the template comes back as it is, with the names of its variables; with variables it comes back filled in.',
    route: 'getPromptByName',
    arguments: z.object({
      name: z.string().min(1).max(150).optional().describe('The name or the handle of the prompt; default: this agent’s own.'),
      version: z.string().max(20).optional().describe('`latest` (default), `production`, or a number such as `3`.'),
      variables: Variables.describe('A value for each of its variables.'),
    }),
    answer: z.object({
      name: z.string(),
      version: z.int(),
      type: PromptType,
      template: z.string().optional().describe('With `{{placeholders}}`; a chat prompt is a JSON array of messages.'),
      variables: z.array(z.string()).optional(),
      text: z.string().optional().describe('Filled in, of a text prompt.'),
      messages: z.array(ChatMessage).optional().describe('Filled in, of a chat prompt.'),
    }),
    annotations: reads,
    run: async (context, { name: given, version, variables }) => {
      const { scope, routes } = context;
      const name = given ?? (await requireOwnPrompt(context));
      const call = { params: { promptName: name }, query: { version } };
      if (!variables) {
        const found = await routes.call<PromptVersion>(scope, 'getPromptByName', call);
        return { ...found, template: found.content };
      }
      return { name, ...(await routes.call<RenderedPrompt>(scope, 'renderPrompt', { ...call, body: { variables } })) };
    },
  }),
  tool({
    name: 'get_context',
    title: 'Get the context of this session',
    description:
      'Get what matters now in one call: this agent’s prompt, the summary of the session, its latest messages, and the memories and knowledge that bear on the question, packed into a budget of tokens. Use it at the start of a turn. Returns the pieces with their type, text and source.',
    route: 'buildSessionContext',
    arguments: z.object({
      query: z.string().max(10_000).optional().describe('What it is about; default: the latest message of the user.'),
      token_budget: z.int().min(200).max(200_000).optional().describe('The most tokens that it may take; default 4,000.'),
      variables: Variables.describe('A value for each variable of this agent’s prompt, where it has any.'),
    }),
    answer: z.object({
      tokens: z.int(),
      pieces: z.array(z.looseObject({ type: z.string(), id: z.string(), text: z.string() })),
    }),
    annotations: reads,
    run: async ({ db, scope, routes }, { query, token_budget: tokenBudget, variables }) => {
      const { agentId, id: sessionId } = await requireScopedSession(db, scope);
      return routes.call(scope, 'buildSessionContext', { params: { agentId, sessionId }, body: { query, tokenBudget, variables } });
    },
  }),
];

async function requireOwnPrompt({ db, scope, routes }: ToolContext): Promise<string> {
  if (scope.agentId === undefined) throw new AppError('bad_request', 'Name is required: no agent is named whose prompt it could be');
  const { promptId } = await requireScopedAgent(db, scope);
  if (promptId === null) throw new AppError('bad_request', 'Name is required: this agent has no prompt of its own');
  const { handle } = await routes.call<Prompt>(scope, 'getPrompt', { params: { promptId } });
  return handle;
}
