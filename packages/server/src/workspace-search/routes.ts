import { WorkspaceHits, WorkspaceSearch } from '@commonplace/contract/search';
import { takeFitting } from '../answer-size.ts';
import { narrowed, usersAndKeys } from '../auth/access.ts';
import type { Context } from '../context.ts';
import { searchDocuments } from '../documents/search.ts';
import type { Api } from '../http/api.ts';
import { searchMemories } from '../memories/search.ts';
import { searchMessages } from '../messages/search.ts';
import { findAgentsOf } from '../sessions/store.ts';

/** Documents, memories and messages of a workspace in one search: …/workspaces/{workspaceId}/search */
export function workspaceSearchRoutes(api: Api, { searcher }: Context): void {
  api.route({
    method: 'POST',
    path: '/workspaces/:workspaceId/search',
    name: 'searchWorkspace',
    tag: 'Knowledge',
    summary: 'Search documents, memories and messages together',
    description:
      'Each kind is scored within itself, so a score says how well a hit does among its own kind. With `where`, documents are left out: they have no `meta`. What is in archived sessions is left out unless `includeArchived` is true.',
    access: narrowed(usersAndKeys('CAN_QUERY_WORKSPACE_DOCUMENTS', 'CAN_QUERY_SESSION_MEMORIES', 'CAN_QUERY_SESSION_MESSAGES')),
    body: WorkspaceSearch,
    isSearch: true,
    changesNothing: true,
    answers: { status: 200, body: WorkspaceHits },
    handle: async ({ db, params: { workspaceId }, body, nowMs, agentIds }) => {
      const [documents, memories, messages] = await Promise.all([
        hasFilter(body) ? [] : searchDocuments(db, searcher, workspaceId, { ...body, where: undefined }),
        searchMemories(db, searcher, { workspaceId, agentIds }, body, nowMs),
        searchMessages(db, searcher, { workspaceId, agentIds }, body),
      ]);
      const hits = [
        ...documents.map((hit) => ({ ...hit, type: 'document' as const })),
        ...memories.map((hit) => ({ ...hit, type: 'memory' as const })),
        ...messages.map((hit) => ({ ...hit, type: 'message' as const })),
      ];
      // The sort is stable: of equal scores documents come before memories, and memories before messages.
      const best = hits.sort((a, b) => b.score - a.score).slice(0, body.limit);
      const agents = await findAgentsOf(
        db,
        workspaceId,
        best.flatMap((hit) => ('sessionId' in hit ? [hit.sessionId] : [])),
      );
      const results = best.flatMap((hit): WorkspaceHits['results'] => {
        if (hit.type === 'document') return [hit];
        const agentId = agents.get(hit.sessionId);
        // A session that was deleted since took its messages and memories along.
        return agentId === undefined ? [] : [{ ...hit, agentId }];
      });
      return { results: takeFitting(results) };
    },
  });
}

/** Documents have no `meta` that could hold what it asks. */
function hasFilter({ where }: WorkspaceSearch): boolean {
  return Object.keys(where ?? {}).length > 0;
}
