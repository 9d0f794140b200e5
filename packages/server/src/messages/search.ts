import type { MessageRole } from '@commonplace/contract/messages';
import type { AgentMessageSearch, MessageHit, MessageSearch } from '@commonplace/contract/search';
import { takeFitting } from '../answer-size.ts';
import type { Queryable } from '../db/database.ts';
import type { EmbeddedItems } from '../search/embedded-items.ts';
import type { ScopeSource } from '../search/scope-source.ts';
import type { Searcher } from '../search/searcher.ts';
import type { SnapshotFacts } from '../search/segments/store.ts';
import {
  rankSessions,
  type Searchable,
  type SessionsScope,
  type SessionsSearch,
  searchSessions,
  sessionsSource,
} from '../sessions/search.ts';

interface MessageRow {
  id: string;
  version: number;
  role: MessageRole;
  content: string;
  createdAt: string;
}

export const messageItems = {
  kind: 'message',
  table: 'messages',
  scopeColumn: 'session_id',
  textColumn: 'content',
} as const satisfies EmbeddedItems;

const searchable: Searchable<MessageRow> = {
  ...messageItems,
  profile: 'messages',
  columns: 'i.role, i.created_at as "createdAt"',
  counted: { count: 'message_count', edits: 'message_edits' },
  itemOf: ({ id, role, content, createdAt }) => ({
    order: id,
    text: content,
    tags: [`role:${role}`],
    time: Date.parse(createdAt),
  }),
};

/** A scope whose index is kept, by what it is about. */
export function keptMessages(db: Queryable, { workspaceId, sessionId, agentId, model }: SnapshotFacts): ScopeSource {
  const scope = { workspaceId, ...(sessionId !== null && { sessionId }), ...(agentId !== null && { agentId }) };
  return sessionsSource(db, scope, searchable, model);
}

export type RankedMessage = Pick<MessageHit, 'id' | 'sessionId' | 'score'>;

/** As `searchMessages`, without what they say. */
export async function rankMessages(
  db: Queryable,
  searcher: Searcher,
  scope: SessionsScope,
  search: SessionsSearch,
): Promise<RankedMessage[]> {
  const hits = await rankSessions(db, searcher, scope, searchable, search, {});
  return hits.map(({ id, thread, score }) => ({ id, sessionId: thread, score }));
}

export async function searchMessages(
  db: Queryable,
  searcher: Searcher,
  scope: SessionsScope,
  search: MessageSearch & Pick<AgentMessageSearch, 'labels' | 'includeArchived'>,
): Promise<MessageHit[]> {
  const { roles, since, until } = search;
  const found = await searchSessions(db, searcher, scope, searchable, search, {
    ...(roles && { anyOf: [roles.map((role) => `role:${role}`)] }),
    ...(since && { since: Date.parse(since) }),
    ...(until && { until: Date.parse(until) }),
  });
  const hits = found.map(({ hit: { id, thread, score, explain }, row }) => ({
    id,
    sessionId: thread,
    role: row.role,
    score,
    text: row.content,
    ...(explain && { explain }),
  }));
  return takeFitting(hits);
}
