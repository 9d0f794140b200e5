/** How far the chunks of a document are on their way into search. */
import { timestamp } from '../clock.ts';
import type { Queryable } from '../db/database.ts';
import { raw, type Sql, sql } from '../db/sql.ts';
import { insertRefusals, type Refusal, upsertVectors } from '../search/vectors.ts';
import type { Chunk } from './chunking.ts';
import { bumpKnowledgeRevision, type DocumentPlace, gone, isDocument, unlessGone } from './store.ts';

/** A document whose chunks are cut. What is written for another revision of it comes too late: it was begun anew. */
export interface CutDocument extends DocumentPlace {
  readonly title: string;
  readonly chunksTotal: number;
  readonly revision: number;
}

const cutColumns = raw(`d.workspace_id as "workspaceId", d.id as "documentId", d.title, d.chunks_total as "chunksTotal", d.revision`);

/** Nothing where it is gone, or has no chunks yet. */
export async function findCutDocument(db: Queryable, { workspaceId, documentId }: DocumentPlace): Promise<CutDocument | undefined> {
  return db.maybeOne(sql<CutDocument>`
    select ${cutColumns} from documents d
    where d.workspace_id = ${workspaceId} and d.id = ${documentId} and exists (
      select 1 from chunks c where c.workspace_id = d.workspace_id and c.document_id = d.id)`);
}

export interface EmbeddedChunks {
  readonly vectors: readonly { itemId: string; vector: Uint8Array }[];
  readonly refused: readonly Refusal[];
}

/** False when the document is gone, or begun anew. */
export async function storeChunkVectors(
  db: Queryable,
  document: CutDocument,
  { vectors, refused }: EmbeddedChunks,
  model: string,
  chunksIndexed: number,
  nowMs: number,
): Promise<boolean> {
  const scope = { workspaceId: document.workspaceId, kind: 'chunk', scopeId: document.documentId } as const;
  return unlessGone(
    db.batch([
      sql`update documents set chunks_indexed = ${chunksIndexed}, updated_at = ${timestamp(nowMs)} where ${isCut(document)}`.orElse(gone),
      ...(vectors.length > 0 ? [upsertVectors(scope, vectors, model)] : []),
      ...(refused.length > 0 ? [insertRefusals(scope, refused, model, nowMs)] : []),
    ]),
  );
}

/** From now on the document is found. The warning, if any, stands as its error. False when it is gone, or begun anew. */
export async function markIndexed(db: Queryable, document: CutDocument, warning: string | null, nowMs: number): Promise<boolean> {
  return unlessGone(
    db.batch([
      sql`update documents set status = 'indexed', error = ${warning}, revision = revision + 1, updated_at = ${timestamp(nowMs)}
          where ${isCut(document)}`.orElse(gone),
      bumpKnowledgeRevision(document.workspaceId),
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

/** The next one that is indexed, and not yet with all of the vectors of this model: who made them may have been stopped in the middle. */
export async function findWithoutVectors(
  db: Queryable,
  workspaceId: string,
  model: string,
  fromDocumentId: string | undefined,
): Promise<CutDocument | undefined> {
  const ofDocument = (table: string) =>
    sql`select count(*) from ${raw(table)} v where v.workspace_id = d.workspace_id and v.kind = 'chunk' and v.scope_id = d.id and v.model = ${model}`;
  return db.maybeOne(sql<CutDocument>`
    select ${cutColumns} from documents d
    where d.workspace_id = ${workspaceId} and d.status = 'indexed' ${fromDocumentId === undefined ? sql`` : sql`and d.id >= ${fromDocumentId}`}
      and d.chunks_total > (${ofDocument('vectors')}) + (${ofDocument('refused_texts')})
    order by d.id limit 1`);
}

/** Its vectors are of another model now. One that is being indexed again comes to that by itself. */
export async function markEmbeddedAnew(db: Queryable, place: DocumentPlace, warning: string | null): Promise<void> {
  await db.batch([
    sql`update documents set revision = revision + 1, error = ${warning} where ${isDocument(place)} and status = 'indexed'`,
    bumpKnowledgeRevision(place.workspaceId),
  ]);
}

export interface ChunkToEmbed extends Pick<Chunk, 'position' | 'heading' | 'text'> {
  /** How many there are in all that the model has not dealt with. */
  readonly left: number;
}

/** The next ones that have neither a vector of the model nor were refused by it. */
export async function chunksToEmbed(
  db: Queryable,
  { workspaceId, documentId }: DocumentPlace,
  model: string,
  limit: number,
): Promise<ChunkToEmbed[]> {
  const hasNone = (table: string) => sql`not exists (
    select 1 from ${raw(table)} v where v.workspace_id = c.workspace_id and v.kind = 'chunk' and v.scope_id = c.document_id
      and v.item_id = cast(c.position as text) and v.model = ${model})`;
  return db.query(sql<ChunkToEmbed>`
    select c.position, c.heading, c.text, count(*) over () as "left" from chunks c
    where c.workspace_id = ${workspaceId} and c.document_id = ${documentId} and ${hasNone('vectors')} and ${hasNone('refused_texts')}
    order by c.position limit ${limit}`);
}

/** How many chunks the model does not take, and why not. */
export async function findRefusals(
  db: Queryable,
  { workspaceId, documentId }: DocumentPlace,
  model: string,
): Promise<{ count: number; reason: string | null }> {
  return db.one(sql<{ count: number; reason: string | null }>`
    select count(*) as count, min(reason) as reason from refused_texts
    where workspace_id = ${workspaceId} and kind = 'chunk' and scope_id = ${documentId} and model = ${model}`);
}

function isCut({ revision, ...place }: CutDocument): Sql {
  return sql`${isDocument(place)} and revision = ${revision}`;
}
