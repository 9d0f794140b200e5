/** Where a hit of a search over the workspace is read. */
import type { Hit } from '@commonplace/client';

export function addressOfHit(workspaceId: string, hit: Hit): string {
  if (hit.type === 'document') return `/w/${workspaceId}/knowledge/${hit.documentId}?chunk=${hit.chunkId}`;
  return `/w/${workspaceId}/agents/${hit.agentId}/sessions/${hit.sessionId}?${hit.type}=${hit.id}`;
}

export const searchAddress = (workspaceId: string, query: string): string =>
  `/w/${workspaceId}/search?q=${encodeURIComponent(query.trim())}`;
