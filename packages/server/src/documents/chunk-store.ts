/** How far the chunks of a document are on their way into search. */
import type { DocumentChunk, DocumentStatus } from '@commonplace/contract/documents';
import type { Page } from '@commonplace/contract/wire';
import { timestamp } from '../clock.ts';
import type { Queryable } from '../db/database.ts';
import { type Listed, listPage } from '../db/paging.ts';
import { shape } from '../db/shape.ts';
import { raw, type Sql, sql } from '../db/sql.ts';
import { recordEvent } from '../outbox/outbox.ts';
import { recordChange } from '../roll-ups/pending-counts.ts';
import { insertRefusals, type Refusal, type StoredVector, upsertVectors } from '../search/vectors.ts';
import type { Chunk, ChunkingStrategy } from './chunking.ts';
import { deleteFormerText } from './former-text-store.ts';
import { bumpKnowledgeRevision, type DocumentAt, type DocumentPlace, deleteChunks, gone, isAt, unlessGone } from './store.ts';

const chunkColumns = shape<Chunk & DocumentPlace>({
  workspaceId: 'text',
  documentId: 'text',
  position: 'integer',
  heading: 'text',
  text: 'text',
  startOffset: 'integer',
  endOffset: 'integer',
});

/** A text whose chunks stand under an id: a document's, or a former one's. What is written for another revision of it comes too late. */
export interface CutText {
  readonly workspaceId: string;
  readonly textId: string;
  readonly table: 'documents' | 'former_texts';
  readonly title: string;
  readonly chunksTotal: number;
  readonly revision: number;
}

export interface DocumentToIndex extends DocumentAt {
  readonly title: string;
  readonly status: DocumentStatus;
  readonly chunkingStrategy: ChunkingStrategy;
  readonly chunksTotal: number;
  /** Whether an earlier try has cut it. */
  readonly isCut: boolean | number;
}

export async function findDocumentToIndex(db: Queryable, { workspaceId, documentId }: DocumentPlace): Promise<DocumentToIndex | undefined> {
  return db.maybeOne(sql<DocumentToIndex>`
    select d.workspace_id as "workspaceId", d.id as "documentId", d.title, d.status, d.chunking_strategy as "chunkingStrategy",
      d.chunks_total as "chunksTotal", d.revision,
      exists (select 1 from chunks c where c.workspace_id = ${workspaceId} and c.document_id = d.id) as "isCut"
    from documents d where d.workspace_id = ${workspaceId} and d.id = ${documentId}`);
}

/** Takes the place of whatever an earlier try left. False when the document is gone, or begun anew. */
export async function replaceChunks(db: Queryable, document: DocumentAt, chunks: readonly Chunk[], nowMs: number): Promise<boolean> {
  const { workspaceId, documentId } = document;
  const insertions: Sql[] = [];
  for (let start = 0; start < chunks.length; start += CHUNKS_IN_ONE_STATEMENT) {
    const some = chunks.slice(start, start + CHUNKS_IN_ONE_STATEMENT);
    insertions.push(chunkColumns.insertInto('chunks', some, { workspaceId, documentId }));
  }
  return unlessGone(
    db.batch([
      sql`update documents set chunks_total = ${chunks.length}, chunks_indexed = 0, updated_at = ${timestamp(nowMs)} where ${isAt(document)}`.orElse(
        gone,
      ),
      ...deleteChunks(document),
      ...insertions,
    ]),
  );
}

const CHUNKS_IN_ONE_STATEMENT = 200;

export interface EmbeddedChunks {
  readonly vectors: readonly (StoredVector & { readonly itemId: string })[];
  readonly refused: readonly Refusal[];
}

/** False when the text is gone, or begun anew. */
export async function storeChunkVectors(
  db: Queryable,
  text: CutText,
  { vectors, refused }: EmbeddedChunks,
  model: string,
  chunksIndexed: number,
  nowMs: number,
): Promise<boolean> {
  const scope = { workspaceId: text.workspaceId, kind: 'chunk', scopeId: text.textId } as const;
  const progress =
    text.table === 'documents' ? sql`chunks_indexed = ${chunksIndexed}, updated_at = ${timestamp(nowMs)}` : sql`revision = revision`;
  return unlessGone(
    db.batch([
      sql`update ${raw(text.table)} set ${progress} where ${isStill(text)}`.orElse(gone),
      ...(vectors.length > 0 ? [upsertVectors(scope, vectors, model)] : []),
      ...(refused.length > 0 ? [insertRefusals(scope, refused, model, nowMs)] : []),
    ]),
  );
}

/**
 * From now on the document is found, and what it replaces is not any more. The warning, if any, stands as its error. False when it is gone,
 * or begun anew.
 */
export async function markIndexed(db: Queryable, document: DocumentAt, warning: string | null, nowMs: number): Promise<boolean> {
  return unlessGone(
    db.batch([
      sql`update documents set status = 'indexed', error = ${warning}, revision = revision + 1, updated_at = ${timestamp(nowMs)}
          where ${isAt(document)}`.orElse(gone),
      ...deleteFormerText(document),
      bumpKnowledgeRevision(document.workspaceId),
      recordChange(document.workspaceId, ['documents'], nowMs),
      recordEvent({ workspaceId: document.workspaceId, type: 'document.indexed', subjectId: document.documentId }, nowMs),
    ]),
  );
}

/** Workspaces with documents, in the order of their ids. */
export async function workspacesWithDocuments(db: Queryable, afterWorkspaceId: string | undefined): Promise<string[]> {
  const found = await db.query(sql<{ id: string }>`
    select distinct workspace_id as id from documents
    where ${afterWorkspaceId === undefined ? sql`1 = 1` : sql`workspace_id > ${afterWorkspaceId}`} order by workspace_id limit 100`);
  return found.map(({ id }) => id);
}

/**
 * The next text that is found, and has not yet all of the vectors of this model: who made them may have been stopped in the middle. Former texts
 * come after the documents.
 */
export async function findWithoutVectors(
  db: Queryable,
  workspaceId: string,
  model: string,
  fromDocumentId: string | undefined,
): Promise<CutText | undefined> {
  const counted = (table: string) =>
    sql`select count(*) from ${raw(table)} v where v.workspace_id = ${workspaceId} and v.kind = 'chunk' and v.scope_id = t.id and v.model = ${model}`;
  const next = (table: CutText['table'], condition: Sql) =>
    db.maybeOne(sql<CutText>`
      select t.workspace_id as "workspaceId", t.id as "textId", '${raw(table)}' as "table", t.title, t.chunks_total as "chunksTotal", t.revision
      from ${raw(table)} t
      where t.workspace_id = ${workspaceId} ${condition} and t.chunks_total > (${counted('vectors')}) + (${counted('refused_texts')})
      order by t.id limit 1`);
  const from = fromDocumentId === undefined ? sql`` : sql`and t.id >= ${fromDocumentId}`;
  return (await next('documents', sql`and t.status = 'indexed' ${from}`)) ?? next('former_texts', sql``);
}

/** Its vectors are of another model now. One that is begun anew meanwhile comes to that by itself. */
export async function markEmbeddedAnew(db: Queryable, text: CutText, warning: string | null): Promise<void> {
  const noted = text.table === 'documents' ? sql`, error = ${warning}` : sql``;
  await db.batch([
    sql`update ${raw(text.table)} set revision = revision + 1 ${noted} where ${isStill(text)}`,
    bumpKnowledgeRevision(text.workspaceId),
  ]);
}

export interface ChunkToEmbed extends Pick<Chunk, 'position' | 'heading' | 'text'> {
  /** How many there are in all that the model has not dealt with. */
  readonly left: number;
}

/** The next ones that have neither a vector of the model nor were refused by it. */
export async function chunksToEmbed(
  db: Queryable,
  { workspaceId, textId }: CutText,
  model: string,
  limit: number,
): Promise<ChunkToEmbed[]> {
  const hasNone = (table: string) => sql`not exists (
    select 1 from ${raw(table)} v where v.workspace_id = ${workspaceId} and v.kind = 'chunk' and v.scope_id = c.document_id
      and v.item_id = cast(c.position as text) and v.model = ${model})`;
  return db.query(sql<ChunkToEmbed>`
    select c.position, c.heading, c.text, count(*) over () as "left" from chunks c
    where c.workspace_id = ${workspaceId} and c.document_id = ${textId} and ${hasNone('vectors')} and ${hasNone('refused_texts')}
    order by c.position limit ${limit}`);
}

type ListedChunk = Omit<Chunk, 'position'> & { readonly index: number; readonly isIndexed: boolean | number };

/** In the order of the document: of the text that is found, or is about to be. */
export async function listChunks(
  db: Queryable,
  { workspaceId, documentId }: DocumentPlace,
  model: string,
  page: Page,
): Promise<Listed<DocumentChunk>> {
  // In one statement with the chunks: they change their place when another file is uploaded.
  const textId = sql`(
    select case when d.status = 'indexed' or f.id is null then d.id else f.id end
    from documents d left join former_texts f on f.workspace_id = d.workspace_id and f.document_id = d.id
    where d.workspace_id = ${workspaceId} and d.id = ${documentId})`;
  const chunks = sql`from chunks c where c.workspace_id = ${workspaceId} and c.document_id = ${textId}`;
  const hasVector = sql`exists (
    select 1 from vectors v where v.workspace_id = ${workspaceId} and v.kind = 'chunk' and v.scope_id = c.document_id
      and v.item_id = cast(c.position as text) and v.model = ${model})`;
  const { rows, meta } = await listPage(db, page, {
    rows: sql<ListedChunk>`
      select c.position as "index", c.start_offset as "startOffset", c.end_offset as "endOffset", c.heading, c.text, ${hasVector} as "isIndexed" ${chunks}`,
    counted: chunks,
    key: 'c.position',
    keyKind: 'number',
    order: 'asc',
    keyOf: ({ index }) => index,
    longColumns: ['c.text', 'c.heading'],
  });
  return {
    rows: rows.map(({ index, startOffset: start, endOffset: end, heading, text, isIndexed }) => {
      return { id: `${documentId}:${index}`, index, start, end, heading, text, indexed: Boolean(isIndexed) };
    }),
    meta,
  };
}

/** How many chunks the model does not take, and why not. */
export async function findRefusals(
  db: Queryable,
  { workspaceId, textId }: CutText,
  model: string,
): Promise<{ count: number; reason: string | null }> {
  return db.one(sql<{ count: number; reason: string | null }>`
    select count(*) as count, min(reason) as reason from refused_texts
    where workspace_id = ${workspaceId} and kind = 'chunk' and scope_id = ${textId} and model = ${model}`);
}

function isStill({ workspaceId, textId, revision }: CutText): Sql {
  return sql`workspace_id = ${workspaceId} and id = ${textId} and revision = ${revision}`;
}
