/** Where a hit of a search over the workspace is read. Hits name their session, and its address needs the agent too. */
import type { Hit } from '@commonplace/client';
import { client } from '../../api/client.ts';
import { agentsQuery } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';

const MOST_AGENTS_ASKED = 20;

export async function addressOfHit(workspaceId: string, hit: Hit, query: string): Promise<string> {
  if (hit.type === 'document') return `/w/${workspaceId}/knowledge/${hit.documentId}`;
  const { sessions } = client.workspace(workspaceId);
  try {
    const agents = await queryClient.ensureQueryData(agentsQuery(workspaceId));
    const asked = agents.slice(0, MOST_AGENTS_ASKED).map(({ id }) => sessions.get(id, hit.sessionId));
    const { agentId } = await Promise.any(asked);
    return `/w/${workspaceId}/agents/${agentId}/sessions/${hit.sessionId}?${hit.type}=${hit.id}`;
  } catch {
    // Of an agent beyond those, or gone meanwhile: the search shows what there is.
    return searchAddress(workspaceId, query);
  }
}

export const searchAddress = (workspaceId: string, query: string): string =>
  `/w/${workspaceId}/search?q=${encodeURIComponent(query.trim())}`;
