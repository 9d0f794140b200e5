/** What the messages and the memories of sessions have in common when they are searched. */
import type { Where } from '@commonplace/contract/where';
import { countFitting, LARGEST_ANSWER_BYTES } from '../answer-size.ts';
import type { Queryable } from '../db/database.ts';
import { metaMatches } from '../db/meta-filter.ts';
import { join, list, raw, type Sql, sql } from '../db/sql.ts';
import type { EmbeddedItems } from '../search/embedded-items.ts';
import { MOST_EMBEDDED_CHARACTERS } from '../search/embedding/embedder.ts';
import type { PlacedHit, VersionedItem } from '../search/protocol.ts';
import { passesFilter, type SearchFilter } from '../search/ranking/filters.ts';
import { metaTagGroups } from '../search/ranking/meta-tags.ts';
import type { ProfileName } from '../search/ranking/profiles.ts';
import { type ItemPage, type ItemPlace, PAGE_BYTES, PAGE_ITEMS, type ScopeSource, type ThreadState } from '../search/scope-source.ts';
import type { Searcher } from '../search/searcher.ts';
import { changesBetween } from '../search/segments/changed-items.ts';
import { readVectors } from '../search/vectors.ts';
import { labelsKey } from './rules.ts';
import { selectedSessions } from './store/selected.ts';

/** One session, all sessions of an agent or of several, or all of a workspace. */
export interface SessionsScope {
  readonly workspaceId: string;
  readonly agentId?: string;
  readonly agentIds?: readonly string[] | undefined;
  readonly sessionId?: string;
  /** Of the sessions of an agent, those with all of these labels, in an index of their own. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** How the rows of a table become items of an index. */
export interface Searchable<Row extends { id: string; version: number }> extends EmbeddedItems {
  readonly profile: ProfileName;
  /** Beside `id`, `version`, `content` and the vector: columns of the alias `i`. */
  readonly columns: string;
  readonly counted: { readonly count: string; readonly edits: string };
  readonly itemOf: (row: Row) => Omit<VersionedItem, 'thread' | 'vector' | 'version' | 'id' | 'meta'>;
}

/** The scope as the vectors of a model see it. */
export function sessionsSource<Row extends { id: string; version: number }>(
  db: Queryable,
  scope: SessionsScope,
  searchable: Searchable<Row>,
  model: string,
): ScopeSource {
  const { workspaceId, sessionId } = scope;
  const agentIds = scope.agentId === undefined ? scope.agentIds?.toSorted() : [scope.agentId];
  const ofAgents = agentIds ? sql`and s.agent_id in ${list(agentIds)}` : sql``;
  const { table, kind, counted } = searchable;
  const isOneSession = sessionId !== undefined;
  const { agentId, labels = {} } = scope;
  const isLabelled = agentId !== undefined && Object.keys(labels).length > 0;
  const selected = isLabelled ? selectedSessions({ workspaceId, agentId }, { externalId: undefined, labels }) : undefined;
  const from = selected ? sql`from (${selected}) selected cross join sessions s` : sql`from sessions s`;
  const sessions = sql`${from} join agents a on a.workspace_id = s.workspace_id and a.id = s.agent_id
    where s.workspace_id = ${workspaceId} ${ofAgents} ${sessionId ? sql`and s.id = ${sessionId}` : sql``}
      ${selected ? sql`and s.id = selected.session_id` : sql``}`;
  const inSelected = selected ? sql`and v.scope_id in (${selected})` : sql``;
  const sharedTags = new Map<string, string[]>();

  type Read = Row & { thread: string; meta: string | null; vector: Uint8Array | null; isRefused: boolean | number; pageItems: number };
  const itemOf = (row: Read): VersionedItem => {
    const item = searchable.itemOf(row);
    const { id, version, thread, meta, vector } = row;
    const tags = [...item.tags, ...(sharedTags.get(thread) ?? [])];
    return {
      ...item,
      id,
      version,
      thread,
      tags,
      ...(meta && { meta }),
      ...(vector && { vector }),
      ...(row.isRefused && { isRefused: true }),
    };
  };
  // Looked up for each item by its key: as a join PostgreSQL reads all of a workspace where it has no statistics yet.
  const ofItem = sql`workspace_id = ${workspaceId} and kind = ${kind} and scope_id = i.session_id and item_id = cast(i.id as text)
    and model = ${model}`;
  // A left join keeps the page in front: as a plain join SQLite walks all items of the workspace for it.
  const read = (items: Sql, texts: string) => sql<Read>`
    select i.id, i.session_id as thread, i.version, ${raw(searchable.columns)}, ${raw(texts)}, page.items as "pageItems",
      (select vector from vectors where ${ofItem}) as vector, exists (select 1 from refused_texts where ${ofItem}) as "isRefused"
    from (${items}) page
    left join ${raw(table)} i on i.workspace_id = ${workspaceId} and i.session_id = page.session_id and i.id = page.id
    order by i.session_id, i.id`;
  /** What is read before it is known how large it is would be read for nothing: the sizes first, which both engines know without the texts. */
  const readPage = async (threads: readonly string[], condition: Sql): Promise<ItemPage> => {
    const sized = sql`
      select session_id, id, octet_length(content) + octet_length(meta) as bytes from ${raw(table)} i
      where i.workspace_id = ${workspaceId} and i.session_id in ${list(threads)} and ${condition}
      order by session_id, id limit ${PAGE_ITEMS}`;
    const summed = sql`
      select session_id, id, count(*) over () as items, sum(bytes) over (order by session_id, id) - bytes as bytes_before from (${sized}) sized`;
    const rows = await db.query(
      read(sql`select * from (${summed}) summed where bytes_before < ${PAGE_BYTES}`, "i.content, nullif(i.meta, '{}') as meta"),
    );
    const pageItems = rows[0]?.pageItems ?? 0;
    return { items: rows.map(itemOf), isLast: rows.length === pageItems && pageItems < PAGE_ITEMS };
  };
  const isAfter = ({ thread, id }: ItemPlace, isOneThread: boolean) =>
    isOneThread ? sql`i.id > ${id}` : sql`(i.session_id, i.id) > (${thread}, ${id})`;

  return {
    workspaceId,
    key: `${table}:${workspaceId}:${agentIds ?? ''}:${sessionId ?? ''}:${isLabelled ? labelsKey(labels) : ''}:${model}`,
    profile: searchable.profile,
    model,
    // One session, one agent or a whole workspace; others are many, and most of them small.
    kept: {
      kind,
      sessionId,
      agentId: agentIds?.length === 1 ? agentIds[0] : undefined,
      onlyLarge: isLabelled || (agentIds?.length ?? 0) > 1,
    },
    missingVectors: async () => {
      const { missing } = await db.one(sql<{ missing: number }>`
        select ${raw(`coalesce(sum(s.${counted.count}), 0)`)} - (
          select count(*) from vectors v join sessions s on s.workspace_id = v.workspace_id and s.id = v.scope_id
          where v.workspace_id = ${workspaceId} and v.kind = ${kind} and v.model = ${model}
            ${sessionId ? sql`and v.scope_id = ${sessionId}` : sql``} ${ofAgents} ${inSelected}) - (
          select count(*) from refused_texts v join sessions s on s.workspace_id = v.workspace_id and s.id = v.scope_id
          where v.workspace_id = ${workspaceId} and v.kind = ${kind} and v.model = ${model}
            ${sessionId ? sql`and v.scope_id = ${sessionId}` : sql``} ${ofAgents} ${inSelected}) as missing
        ${sessions}`);
      return Number(missing);
    },
    marker: async () => {
      const row = isOneSession
        ? await db.maybeOne(
            sql<Record<string, unknown>>`select ${raw(`s.${counted.count} as count, s.${counted.edits} as edits`)} ${sessions}`,
          )
        : (
            await db.query(sql<Record<string, unknown>>`
              select count(*) as sessions, max(cast(s.id as text)) as newest, max(s.updated_at) as updated,
                sum(case when s.status = ${ARCHIVED} then 1 else 0 end) as archived,
                ${raw(`sum(s.${counted.count}) as count, sum(s.${counted.edits}) as edits`)} ${sessions}`)
          )[0];
      return JSON.stringify(row ?? null);
    },
    threads: async () => {
      const found = await db.query(sql<SessionState>`
        select s.id as thread, ${raw(`s.${counted.count} as count, s.${counted.edits} as edits`)}, s.labels_key as "labelsKey", s.labels,
          s.status ${sessions}`);
      return found.map(({ thread, count, edits, labelsKey, labels, status }): ThreadState => {
        if (isOneSession) return { thread, count, edits: String(edits) };
        const isArchived = status === ARCHIVED;
        const ofLabels = labelTagsOf(JSON.parse(labels) as Record<string, string>);
        sharedTags.set(thread, isArchived ? [...ofLabels, ARCHIVED_TAG] : ofLabels);
        return { thread, count, edits: String(edits), shared: isArchived ? `${labelsKey} ${ARCHIVED}` : labelsKey };
      });
    },
    listing: (thread) =>
      db.query(sql<{ id: string; version: number }>`
        select id, version from ${raw(table)} where workspace_id = ${workspaceId} and session_id = ${thread}`),
    versions: (thread, ids) =>
      db.query(sql<{ id: string; version: number }>`
        select id, version from ${raw(table)} where workspace_id = ${workspaceId} and session_id = ${thread} and id in ${list(ids)}`),
    changed: async (thread, after, upTo) =>
      kind === 'message' ? changesBetween(db, { workspaceId, kind, scopeId: thread }, after, upTo) : undefined,
    itemsAfter: (threads, after) => readPage(threads, after ? isAfter(after, threads.length === 1) : sql`1 = 1`),
    items: (thread, ids) => readPage([thread], sql`i.id in ${list(ids)}`),
    vectors: async (places, column = 'vector') => {
      const wanted = places.map(({ thread, id }) => ({ scopeId: thread, itemId: id }));
      const found = await readVectors(db, { workspaceId, kind, model }, wanted, column);
      return found.map(({ itemId, bytes }) => [itemId, bytes] as const);
    },
    textsToEmbed: async (thread, ids) => {
      const chosen = sql`select session_id, id, 0 as items from ${raw(table)} i
        where i.workspace_id = ${workspaceId} and i.session_id = ${thread} and i.id in ${list(ids)}`;
      return (await db.query(read(chosen, `substr(i.content, 1, ${MOST_EMBEDDED_CHARACTERS}) as content, null as meta`))).map(itemOf);
    },
  };
}

interface SessionState {
  thread: string;
  count: number;
  edits: number;
  labelsKey: string;
  labels: string;
  status: string;
}

const ARCHIVED = 'archived';
const ARCHIVED_TAG = `status:${ARCHIVED}`;

/** Tags of a session's labels, and of those that a search asks for. */
function labelTagsOf(labels: Readonly<Record<string, string>>): string[] {
  return Object.entries(labels).map(([key, value]) => `label:${JSON.stringify([key, value])}`);
}

export interface SessionsSearch {
  readonly query: string;
  readonly limit: number;
  readonly minScore?: number | null | undefined;
  readonly explain?: boolean | null | undefined;
  /** Of the sessions: every pair must match. */
  readonly labels?: Readonly<Record<string, string>> | null | undefined;
  /** Also those that are archived; of a search in one session that does not matter. */
  readonly includeArchived?: boolean | null | undefined;
  /** Of the `meta` of the items. */
  readonly where?: Where | null | undefined;
}

/** Items of an index that is kept beside the agent's whatever the agent has. */
const FEW_ITEMS = 2_000;
/** Others have one of their own where they are no more than this part of the agent's. */
const SMALLEST_PARTS = 8;

/** Whether sessions with some labels have an index of their own: else theirs is the agent's, and the search passes over the others. */
async function isApart(
  db: Queryable,
  place: { workspaceId: string; agentId: string },
  labels: Readonly<Record<string, string>>,
  { counted }: Pick<Searchable<{ id: string; version: number }>, 'counted'>,
): Promise<boolean> {
  const summed = async (sessions: Sql) => {
    const { items } = await db.one(sql<{ items: number }>`select ${raw(`coalesce(sum(s.${counted.count}), 0)`)} as items from ${sessions}`);
    return Number(items);
  };
  const selected = selectedSessions(place, { externalId: undefined, labels });
  const items = await summed(sql`(${selected}) selected cross join sessions s
    where s.workspace_id = ${place.workspaceId} and s.id = selected.session_id`);
  if (items <= FEW_ITEMS) return true;
  const all = await summed(sql`sessions s where s.workspace_id = ${place.workspaceId} and s.agent_id = ${place.agentId}`);
  return items * SMALLEST_PARTS <= all;
}

/** The hits alone, best first. The caller has made sure that the session, the agent or the workspace is there. */
export async function rankSessions<Row extends { id: string; version: number }>(
  db: Queryable,
  searcher: Searcher,
  scope: SessionsScope,
  searchable: Searchable<Row>,
  search: SessionsSearch,
  filter: SearchFilter,
): Promise<PlacedHit[]> {
  const { workspaceId, agentId } = scope;
  const { labels } = search;
  const isNarrowed =
    agentId !== undefined && labels && Object.keys(labels).length > 0 && (await isApart(db, { workspaceId, agentId }, labels, searchable));
  const narrowed = isNarrowed ? { ...scope, labels } : scope;
  return searcher.search((model) => sessionsSource(db, narrowed, searchable, model), {
    text: search.query,
    limit: search.limit,
    filter: {
      ...filter,
      ...(search.labels && { allOf: labelTagsOf(search.labels) }),
      ...(scope.sessionId === undefined && !search.includeArchived && { noneOf: [ARCHIVED_TAG] }),
      ...(search.where && { anyOf: [...(filter.anyOf ?? []), ...metaTagGroups(search.where)] }),
    },
    ...(search.minScore != null && { minScore: search.minScore }),
    explain: search.explain ?? false,
  });
}

/** The hits with the rows behind them, without those that were deleted since the index was read, or changed so that they are not asked for. */
export async function searchSessions<Row extends { id: string; version: number }>(
  db: Queryable,
  searcher: Searcher,
  scope: SessionsScope,
  searchable: Searchable<Row>,
  search: SessionsSearch,
  filter: SearchFilter,
): Promise<{ hit: PlacedHit; row: Row }[]> {
  const hits = await rankSessions(db, searcher, scope, searchable, search, filter);
  if (hits.length === 0) return [];
  const behind = (some: readonly PlacedHit[]) => {
    const bySession = [...Map.groupBy(some, ({ thread }) => thread)].map(
      ([sessionId, placed]) => sql`(i.session_id = ${sessionId} and i.id in ${list(placed.map(({ id }) => id))})`,
    );
    return sql`from ${raw(searchable.table)} i where i.workspace_id = ${scope.workspaceId} and (${join(bySession, ' or ')}) ${metaMatches(search.where ?? undefined)}`;
  };
  // No more is read than makes an answer: texts that are not large at once, and of the others those that there is room for.
  const largest = Math.floor(LARGEST_ANSWER_BYTES / hits.length);
  const selected = (content: Sql) => sql`select i.id, i.version, octet_length(i.content) as bytes, ${content}, ${raw(searchable.columns)}`;
  type Found = Row & { bytes: number; content: string | null };
  const found = await db.query(
    sql<Found>`${selected(sql`case when octet_length(i.content) <= ${largest} then i.content end as content`)} ${behind(hits)}`,
  );
  const passes = (row: Found) => passesFilter(searchable.itemOf(row), filter);
  const rows = new Map(found.filter(passes).map((row) => [row.id, row]));
  const best = hits.slice(0, countFitting(hits.map(({ id }) => Number(rows.get(id)?.bytes ?? 0))));
  const unread = best.filter(({ id }) => rows.get(id)?.content === null);
  if (unread.length > 0) {
    const large = await db.query(sql<Found>`${selected(sql`i.content`)} ${behind(unread)}`);
    const readNow = new Map(large.filter(passes).map((row) => [row.id, row]));
    // What is gone by now is no answer any more.
    for (const { id } of unread) {
      const row = readNow.get(id);
      if (row) rows.set(id, row);
      else rows.delete(id);
    }
  }
  return best.flatMap((hit) => {
    const row = rows.get(hit.id);
    return row ? [{ hit, row }] : [];
  });
}
