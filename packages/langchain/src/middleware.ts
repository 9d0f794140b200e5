/** Middleware for agents of the package langchain: what Commonplace knows goes into the system message of each model call. */
import type { ContextRequest, SessionHandle } from '@commonplace/client';
import { createMiddleware } from 'langchain';

const LONGEST_QUERY = 10_000;

export interface CommonplaceMiddlewareOptions extends Omit<ContextRequest, 'query' | 'explain'> {
  session: SessionHandle;
}

/**
 * Adds the summary, the memories and the knowledge that bear on what the user said last. `include: ['prompt', …]` adds the prompt of the agent in
 * Commonplace, too. The conversation is that of the agent.
 */
export function commonplaceMiddleware({ session, ...asked }: CommonplaceMiddlewareOptions) {
  const include: ContextRequest['include'] = ['summary', 'memories', 'knowledge'];
  return createMiddleware({
    name: 'CommonplaceMiddleware',
    wrapModelCall: async (request, handler) => {
      const query = queryOf(request.messages.findLast((message) => message.type === 'human')?.text ?? '');
      const context = await session.context({ include, ...asked, ...(query && { query }) });
      const known = context.messages.map(({ content }) => content).join('\n\n');
      if (!known) return handler(request);
      const before = request.systemMessage.text ? '\n\n' : '';
      return handler({ ...request, systemMessage: request.systemMessage.concat(before + known) });
    },
  });
}

/** The service takes no NUL and no half of a pair of surrogates. */
function queryOf(text: string): string {
  return text
    .slice(0, LONGEST_QUERY)
    .replaceAll(/[\0\p{Surrogate}]/gu, ' ')
    .trim();
}
