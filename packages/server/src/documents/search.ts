import type { DocumentHit, DocumentSearch } from '@commonplace/contract/search';
import { takeFitting } from '../answer-size.ts';
import type { Queryable } from '../db/database.ts';
import { join, list, raw, type Sql, sql } from '../db/sql.ts';
import type { PlacedHit, VersionedItem } from '../search/protocol.ts';
import { type ItemPage, type ItemPlace, PAGE_ITEMS, type ScopeSource } from '../search/scope-source.ts';
import type { Searcher, SearchRequest } from '../search/searcher.ts';
import { readVectors } from '../search/vectors.ts';
import { labelMap } from './rules.ts';

interface ChunkRow {
  /** What its chunks stand under: the document itself, or what is found of it until its replacement is indexed. */
  textId: string;
  documentId: string;
  position: number;
  heading: string;
  text: string;
  title: string;
  labels: string;
  revision: number;
}

const chunkColumns = raw(`c.document_id as "textId", coalesce(d.id, f.document_id) as "documentId", c.position, c.heading, c.text,
  coalesce(d.title, f.title) as title, coalesce(d.labels, f.labels) as labels, coalesce(d.revision, f.revision) as revision`);

/** Of a document that is indexed its own text is found, of any other the former one, if there is one: never both. */
const foundTexts = raw(`left join documents d on d.workspace_id = c.workspace_id and d.id = c.document_id and d.status = 'indexed'
  left join former_texts f on f.workspace_id = c.workspace_id and f.id = c.document_id
  left join documents r on r.workspace_id = f.workspace_id and r.id = f.document_id and r.status <> 'indexed'`);
const isFound = raw('(d.id is not null or r.id is not null)');

/** A hit whose document was replaced, relabelled or deleted before it could be read counts for nothing: the search is done again. */
const MOST_SEARCHES = 8;

/** The indexed documents of a workspace that have all of the labels, and of those only the ones with all of `within`. */
export async function searchDocuments(
  db: Queryable,
  searcher: Searcher,
  workspaceId: string,
  search: DocumentSearch,
  within: Readonly<Record<string, string>> = {},
): Promise<DocumentHit[]> {
  const request: SearchRequest = {
    text: search.query,
    limit: search.limit,
    filter: { allOf: [...Object.entries(within), ...Object.entries(search.labels ?? {})].map(labelTag) },
    ...(search.minScore != null && { minScore: search.minScore }),
    explain: search.explain ?? false,
  };
  for (let searches = 1; ; searches++) {
    const hits = await searcher.search((model) => chunksSource(db, workspaceId, model), request);
    const current = await rowsBehind(db, workspaceId, hits);
    if (current.length === hits.length || searches === MOST_SEARCHES) return takeFitting(current.map(hitOf));
  }
}

/** Of the hits whose text is still as it was when it was scored. */
async function rowsBehind(db: Queryable, workspaceId: string, hits: readonly PlacedHit[]): Promise<{ hit: PlacedHit; row: ChunkRow }[]> {
  if (hits.length === 0) return [];
  const behind = [...Map.groupBy(hits, ({ thread }) => thread)].map(
    ([textId, placed]) => sql`(c.document_id = ${textId} and c.position in ${list(placed.map(({ id }) => positionOf(id)))})`,
  );
  const found = await db.query(sql<ChunkRow>`
    select ${chunkColumns} from chunks c ${foundTexts} where c.workspace_id = ${workspaceId} and ${isFound} and (${join(behind, ' or ')})`);
  const rows = new Map(found.map((row) => [chunkId(row.textId, row.position), row]));
  return hits.flatMap((hit) => {
    const row = rows.get(hit.id);
    return row?.revision === hit.version ? [{ hit, row }] : [];
  });
}

function hitOf({ hit: { score, explain }, row }: { hit: PlacedHit; row: ChunkRow }): DocumentHit {
  const { documentId, position, text, title, heading } = row;
  const labels = labelMap(JSON.parse(row.labels) as string[]);
  return { documentId, chunkId: chunkId(documentId, position), score, text, labels, title, heading, ...(explain && { explain }) };
}

/** The chunks of a workspace as the vectors of a model see them; their index is kept. */
export function chunksSource(db: Queryable, workspaceId: string, model: string): ScopeSource {
  // Looked up for each chunk by its key: as a join PostgreSQL reads all of a workspace where it has no statistics yet.
  const ofChunk = sql`workspace_id = ${workspaceId} and kind = 'chunk' and scope_id = c.document_id
    and item_id = cast(c.position as text) and model = ${model}`;
  const read = async (condition: Sql, end: Sql): Promise<VersionedItem[]> => {
    const found = await db.query(sql<ReadChunk>`
      select ${chunkColumns}, (select vector from vectors where ${ofChunk}) as vector,
        exists (select 1 from refused_texts where ${ofChunk}) as "isRefused"
      from chunks c ${foundTexts}
      where c.workspace_id = ${workspaceId} and ${isFound} and ${condition} ${end}`);
    return found.map(itemOf);
  };
  /** A chunk is bounded, and so is a page of them. */
  const readPage = async (condition: Sql): Promise<ItemPage> => {
    const items = await read(condition, sql`order by c.document_id, c.position limit ${PAGE_ITEMS}`);
    return { items, isLast: items.length < PAGE_ITEMS };
  };
  const withIds = (thread: string, ids: readonly string[]) => sql`c.document_id = ${thread} and c.position in ${list(ids.map(positionOf))}`;
  const listing = async (thread: string) => {
    const found = await db.query(sql<{ position: number; revision: number }>`
      select c.position, coalesce(d.revision, f.revision) as revision from chunks c ${foundTexts}
      where c.workspace_id = ${workspaceId} and ${isFound} and c.document_id = ${thread}`);
    return found.map(({ position, revision }) => ({ id: chunkId(thread, position), version: revision }));
  };
  return {
    workspaceId,
    key: `chunks:${workspaceId}:${model}`,
    profile: 'chunks',
    model,
    kept: { kind: 'chunk' },
    missingVectors: async () => {
      const made = (table: string) => sql`
        select count(*) from ${raw(table)} v join found on found.id = v.scope_id
        where v.workspace_id = ${workspaceId} and v.kind = 'chunk' and v.model = ${model}`;
      const [row] = await db.query(sql<{ missing: number }>`
        with found as (${textsOf(workspaceId)})
        select coalesce(sum(chunks_total), 0) - (${made('vectors')}) - (${made('refused_texts')}) as missing from found`);
      return Number(row?.missing ?? 0);
    },
    marker: async () => {
      const row = await db.maybeOne(
        sql<{ revision: number }>`select revision from knowledge_revisions where workspace_id = ${workspaceId}`,
      );
      return String(row?.revision ?? 0);
    },
    threads: () =>
      db.query(sql<{ thread: string; count: number; edits: string }>`
        with found as (${textsOf(workspaceId)})
        select id as thread, chunks_total as count, cast(revision as text) as edits from found`),
    listing,
    versions: async (thread, ids) => {
      const wanted = new Set(ids);
      return (await listing(thread)).filter(({ id }) => wanted.has(id));
    },
    itemsAfter: (threads, after) => {
      const [thread] = threads;
      if (threads.length > 1) return readPage(sql`c.document_id in ${list(threads)} ${after ? isAfter(after) : sql``}`);
      return readPage(sql`c.document_id = ${thread as string} and c.position > ${after === undefined ? -1 : positionOf(after.id)}`);
    },
    items: (thread, ids) => readPage(withIds(thread, ids)),
    vectors: async (places, column = 'vector') => {
      const wanted = places.map(({ thread, id }) => ({ scopeId: thread, itemId: String(positionOf(id)) }));
      const found = await readVectors(db, { workspaceId, kind: 'chunk', model }, wanted, column);
      return found.map(({ scopeId, itemId, bytes }) => [chunkId(scopeId, Number(itemId)), bytes] as const);
    },
    textsToEmbed: (thread, ids) => read(withIds(thread, ids), sql``),
  };
}

type ReadChunk = ChunkRow & { vector: Uint8Array | null; isRefused: boolean | number };

function isAfter({ thread, id }: ItemPlace): Sql {
  return sql`and (c.document_id, c.position) > (${thread}, ${positionOf(id)})`;
}

function itemOf(row: ReadChunk): VersionedItem {
  return {
    id: chunkId(row.textId, row.position),
    version: row.revision,
    thread: row.textId,
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

/** The texts of a workspace that are found. */
function textsOf(workspaceId: string): Sql {
  return sql`
    select id, chunks_total, revision from documents where workspace_id = ${workspaceId} and status = 'indexed'
    union all
    select f.id, f.chunks_total, f.revision from former_texts f
    join documents r on r.workspace_id = f.workspace_id and r.id = f.document_id and r.status <> 'indexed'
    where f.workspace_id = ${workspaceId}`;
}

function chunkId(textId: string, position: number): string {
  return `${textId}:${position}`;
}

function positionOf(id: string): number {
  return Number(id.slice(id.lastIndexOf(':') + 1));
}

function labelTag([key, value]: [string, string]): string {
  return `label:${JSON.stringify([key, value])}`;
}
