import type { DocumentHit, DocumentSearch } from '@commonplace/contract/search';
import { takeFitting } from '../answer-size.ts';
import type { Queryable } from '../db/database.ts';
import { join, list, raw, type Sql, sql } from '../db/sql.ts';
import type { VersionedItem } from '../search/protocol.ts';
import { type ItemPage, type ItemPlace, PAGE_ITEMS, type ScopeSource } from '../search/scopes.ts';
import type { Searcher } from '../search/searcher.ts';
import { labelMap } from './rules.ts';

interface ChunkRow {
  documentId: string;
  position: number;
  heading: string;
  text: string;
  title: string;
  labels: string;
  revision: number;
}

const chunkColumns = raw(`c.document_id as "documentId", c.position, c.heading, c.text, d.title, d.labels, d.revision`);

/** The indexed documents of a workspace that have all of the labels, and of those only the ones with all of `within`. */
export async function searchDocuments(
  db: Queryable,
  searcher: Searcher,
  workspaceId: string,
  search: DocumentSearch,
  within: Readonly<Record<string, string>> = {},
): Promise<DocumentHit[]> {
  const hits = await searcher.search((model) => chunksSource(db, workspaceId, model), {
    text: search.query,
    limit: search.limit,
    filter: { allOf: [...Object.entries(within), ...Object.entries(search.labels ?? {})].map(labelTag) },
    ...(search.minScore != null && { minScore: search.minScore }),
    explain: search.explain ?? false,
  });
  if (hits.length === 0) return [];
  const behind = [...Map.groupBy(hits, ({ thread }) => thread)].map(
    ([documentId, placed]) => sql`(c.document_id = ${documentId} and c.position in ${list(placed.map(({ id }) => positionOf(id)))})`,
  );
  const found = await db.query(sql<ChunkRow>`
    select ${chunkColumns} ${indexedChunks(workspaceId)} and (${join(behind, ' or ')})`);
  const rows = new Map(found.map((row) => [chunkId(row.documentId, row.position), row]));
  const results = hits.flatMap(({ id, score, explain }) => {
    const row = rows.get(id);
    if (!row) return [];
    const { documentId, text, title, heading } = row;
    const labels = labelMap(JSON.parse(row.labels) as string[]);
    return [{ documentId, chunkId: id, score, text, labels, title, heading, ...(explain && { explain }) }];
  });
  return takeFitting(results);
}

function chunksSource(db: Queryable, workspaceId: string, model: string): ScopeSource {
  const read = async (condition: Sql, end: Sql): Promise<VersionedItem[]> => {
    const found = await db.query(sql<ReadChunk>`
      select ${chunkColumns}, v.vector, r.reason is not null as "isRefused"
      from chunks c join documents d on d.workspace_id = c.workspace_id and d.id = c.document_id
      left join vectors v on v.workspace_id = c.workspace_id and v.kind = 'chunk' and v.scope_id = c.document_id
        and v.item_id = cast(c.position as text) and v.model = ${model}
      left join refused_texts r on r.workspace_id = c.workspace_id and r.kind = 'chunk' and r.scope_id = c.document_id
        and r.item_id = cast(c.position as text) and r.model = ${model}
      where c.workspace_id = ${workspaceId} and d.status = 'indexed' and ${condition} ${end}`);
    return found.map(itemOf);
  };
  /** A chunk is bounded, and so is a page of them. */
  const readPage = async (condition: Sql): Promise<ItemPage> => {
    const items = await read(condition, sql`order by c.document_id, c.position limit ${PAGE_ITEMS}`);
    return { items, isLast: items.length < PAGE_ITEMS };
  };
  const withIds = (thread: string, ids: readonly string[]) => sql`c.document_id = ${thread} and c.position in ${list(ids.map(positionOf))}`;
  return {
    workspaceId,
    key: `chunks:${workspaceId}:${model}`,
    profile: 'chunks',
    model,
    missingVectors: async () => {
      const { missing } = await db.one(sql<{ missing: number }>`
        select coalesce(sum(d.chunks_total), 0) - (
          select count(*) from vectors v join documents d on d.workspace_id = v.workspace_id and d.id = v.scope_id and d.status = 'indexed'
          where v.workspace_id = ${workspaceId} and v.kind = 'chunk' and v.model = ${model}) - (
          select count(*) from refused_texts v join documents d on d.workspace_id = v.workspace_id and d.id = v.scope_id and d.status = 'indexed'
          where v.workspace_id = ${workspaceId} and v.kind = 'chunk' and v.model = ${model}) as missing
        from documents d where d.workspace_id = ${workspaceId} and d.status = 'indexed'`);
      return Number(missing);
    },
    marker: async () => {
      const row = await db.maybeOne(
        sql<{ revision: number }>`select revision from knowledge_revisions where workspace_id = ${workspaceId}`,
      );
      return String(row?.revision ?? 0);
    },
    threads: () =>
      db.query(sql<{ thread: string; count: number; edits: string }>`
        select id as thread, chunks_total as count, cast(revision as text) as edits from documents
        where workspace_id = ${workspaceId} and status = 'indexed'`),
    listing: async (thread) => {
      const found = await db.query(sql<{ documentId: string; position: number; revision: number }>`
        select c.document_id as "documentId", c.position, d.revision ${indexedChunks(workspaceId)} and c.document_id = ${thread}`);
      return found.map(({ documentId, position, revision }) => ({ id: chunkId(documentId, position), version: revision }));
    },
    itemsAfter: (threads, after) => {
      const [thread] = threads;
      if (threads.length > 1) return readPage(sql`c.document_id in ${list(threads)} ${after ? isAfter(after) : sql``}`);
      return readPage(sql`c.document_id = ${thread as string} and c.position > ${after === undefined ? -1 : positionOf(after.id)}`);
    },
    items: (thread, ids) => readPage(withIds(thread, ids)),
    textsToEmbed: (thread, ids) => read(withIds(thread, ids), sql``),
  };
}

type ReadChunk = ChunkRow & { vector: Uint8Array | null; isRefused: boolean | number };

function isAfter({ thread, id }: ItemPlace): Sql {
  return sql`and (c.document_id, c.position) > (${thread}, ${positionOf(id)})`;
}

function itemOf(row: ReadChunk): VersionedItem {
  return {
    id: chunkId(row.documentId, row.position),
    version: row.revision,
    thread: row.documentId,
    order: String(row.position).padStart(8, '0'),
    prefix: chunkPrefix(row),
    text: row.text,
    tags: Object.entries(labelMap(JSON.parse(row.labels) as string[])).map(labelTag),
    ...(row.vector && { vector: row.vector }),
    ...(row.isRefused && { isRefused: true }),
  };
}

/** The title and the headings above: a chunk is read with them. */
export function chunkPrefix({ title, heading }: { title: string; heading: string }): string {
  return [title, heading].filter(Boolean).join(' › ');
}

function indexedChunks(workspaceId: string): Sql {
  return sql`from chunks c join documents d on d.workspace_id = c.workspace_id and d.id = c.document_id
    where c.workspace_id = ${workspaceId} and d.status = 'indexed'`;
}

function chunkId(documentId: string, position: number): string {
  return `${documentId}:${position}`;
}

function positionOf(id: string): number {
  return Number(id.slice(id.lastIndexOf(':') + 1));
}

function labelTag([key, value]: [string, string]): string {
  return `label:${JSON.stringify([key, value])}`;
}
