import type { MemoryKind } from '@commonplace/contract/memories';
import type { AgentMemorySearch, MemoryHit, MemorySearch } from '@commonplace/contract/search';
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

interface MemoryRow {
  id: string;
  version: number;
  kind: MemoryKind;
  content: string;
  createdAt: string;
  endsAt: string | null;
}

export const memoryItems = {
  kind: 'memory',
  table: 'memories',
  scopeColumn: 'session_id',
  textColumn: 'content',
} as const satisfies EmbeddedItems;

const searchable: Searchable<MemoryRow> = {
  ...memoryItems,
  profile: 'memories',
  columns: `i.kind, i.created_at as "createdAt",
    case when i.superseded_at is null or i.expires_at < i.superseded_at then i.expires_at else i.superseded_at end as "endsAt"`,
  counted: { count: 'memory_count', edits: 'memory_edits' },
  itemOf: ({ id, kind, content, createdAt, endsAt }) => ({
    order: id,
    text: content,
    tags: [`kind:${kind}`],
    time: Date.parse(createdAt),
    ...(endsAt !== null && { end: Date.parse(endsAt) }),
  }),
};

/** A scope whose index is kept, by what it is about. */
export function keptMemories(db: Queryable, { workspaceId, sessionId, agentId, model }: SnapshotFacts): ScopeSource {
  const scope = { workspaceId, ...(sessionId !== null && { sessionId }), ...(agentId !== null && { agentId }) };
  return sessionsSource(db, scope, searchable, model);
}

/** Those that hold now, without what they say. */
export async function rankMemories(
  db: Queryable,
  searcher: Searcher,
  scope: SessionsScope,
  { kinds, ...search }: SessionsSearch & { readonly kinds: readonly MemoryKind[] },
  nowMs: number,
): Promise<Pick<MemoryHit, 'id' | 'sessionId' | 'score'>[]> {
  const hits = await rankSessions(db, searcher, scope, searchable, search, {
    endsAfter: nowMs,
    anyOf: [kinds.map((kind) => `kind:${kind}`)],
  });
  return hits.map(({ id, thread, score }) => ({ id, sessionId: thread, score }));
}

export async function searchMemories(
  db: Queryable,
  searcher: Searcher,
  scope: SessionsScope,
  search: MemorySearch & Pick<AgentMemorySearch, 'labels' | 'includeArchived'>,
  nowMs: number,
): Promise<MemoryHit[]> {
  const { kinds, asOf } = search;
  const found = await searchSessions(db, searcher, scope, searchable, search, {
    endsAfter: asOf ? Date.parse(asOf) : nowMs,
    ...(asOf && { until: Date.parse(asOf) }),
    ...(kinds && { anyOf: [kinds.map((kind) => `kind:${kind}`)] }),
  });
  const hits = found.map(({ hit: { id, thread, score, explain }, row }) => ({
    id,
    sessionId: thread,
    kind: row.kind,
    score,
    text: row.content,
    ...(explain && { explain }),
  }));
  return takeFitting(hits);
}
