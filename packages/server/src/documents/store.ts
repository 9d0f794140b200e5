import { createHash } from 'node:crypto';
import type { Document, DocumentQuery } from '@commonplace/contract/documents';
import { lengthOf } from '@commonplace/contract/lengths';
import { recordAudit } from '../audits/store.ts';
import type { Actor } from '../auth/callers.ts';
import { timestamp } from '../clock.ts';
import type { Queryable } from '../db/database.ts';
import { newId } from '../db/ids.ts';
import { type Listed, listPage } from '../db/paging.ts';
import { shape } from '../db/shape.ts';
import { rows, type Sql, sql } from '../db/sql.ts';
import { conflict, notFound } from '../errors.ts';
import { dropWaiting, enqueue } from '../jobs/queue.ts';
import { recordEvent } from '../outbox/outbox.ts';
import { recordChange } from '../roll-ups/pending-counts.ts';
import { goneForGood, noteChangedThreads } from '../search/segments/changed-items.ts';
import { lockWorkspace } from '../workspaces/store.ts';
import { CHUNK_OVERLAP, CHUNK_SIZE, strategyOf } from './chunking.ts';
import { deleteFormerText, hasFormerText } from './former-text-store.ts';
import { type IndexingFailure, labelMap, labelPair, type UploadedText } from './rules.ts';

export interface DocumentPlace {
  readonly workspaceId: string;
  readonly documentId: string;
}

/** As it was found: what is written for another revision of it comes too late. */
export interface DocumentAt extends DocumentPlace {
  readonly revision: number;
}

export interface DocumentRow extends Omit<Document, 'externalId' | 'size' | 'error'> {
  externalId: string | null;
  sizeBytes: number;
  error: string | null;
}

export const columns = shape<DocumentRow>({
  id: 'text',
  workspaceId: 'text',
  externalId: 'text',
  title: 'text',
  filename: 'text',
  contentType: 'text',
  checksum: 'text',
  sizeBytes: 'integer',
  charCount: 'integer',
  status: 'text',
  error: 'text',
  labels: 'json',
  chunkingStrategy: 'text',
  chunkSize: 'integer',
  chunkOverlap: 'integer',
  chunksTotal: 'integer',
  chunksIndexed: 'integer',
  createdAt: 'time',
  updatedAt: 'time',
});
/** The revision moves with whatever changes what is found of a document, and with every new beginning of its indexing. */
export const stored = columns.with<{ revision: number }>({ revision: 'integer' });

export interface NewDocument {
  readonly externalId: string | undefined;
  readonly title: string;
  /** Undefined where the form has none: a document that is there keeps its own. */
  readonly labels: readonly string[] | undefined;
  readonly file: UploadedText;
  readonly bytes: Buffer;
}

export async function createDocument(db: Queryable, by: Actor, workspaceId: string, upload: NewDocument, nowMs: number): Promise<Document> {
  const row = newRow(workspaceId, upload, nowMs);
  await db.batch([lockWorkspace(workspaceId), stored.insertInto('documents', [row], { revision: 0 }), ...creation(by, row, upload, nowMs)]);
  return documentOf(row);
}

export function newRow(workspaceId: string, upload: NewDocument, nowMs: number): DocumentRow {
  const now = timestamp(nowMs);
  return {
    id: newId(),
    workspaceId,
    externalId: upload.externalId ?? null,
    title: upload.title,
    filename: upload.file.filename,
    contentType: upload.file.contentType,
    checksum: createHash('sha256').update(upload.bytes).digest('hex'),
    sizeBytes: upload.bytes.length,
    charCount: lengthOf(upload.file.text),
    status: 'processing',
    error: null,
    labels: [...(upload.labels ?? [])],
    chunkingStrategy: strategyOf(upload.file.contentType),
    chunkSize: CHUNK_SIZE,
    chunkOverlap: CHUNK_OVERLAP,
    chunksTotal: 0,
    chunksIndexed: 0,
    createdAt: now,
    updatedAt: now,
  };
}

/** What goes with the row of a new document. */
export function creation(by: Actor, row: DocumentRow, { bytes }: NewDocument, nowMs: number): Sql[] {
  const { workspaceId, id: documentId } = row;
  const place = { workspaceId, documentId };
  return [
    sql`insert into document_contents (workspace_id, document_id, content) values (${workspaceId}, ${documentId}, ${bytes})`,
    ...labelInsertions(place, row.labels),
    enqueueIndexing(place, nowMs),
    recordChange(workspaceId, ['documents'], nowMs),
    recordAudit(by, { workspaceId, action: 'document.create', resourceId: documentId, detail: auditDetail(row) }, nowMs),
    recordEvent({ workspaceId, type: 'document.created', subjectId: documentId }, nowMs),
  ];
}

export function auditDetail({ title, filename, externalId }: DocumentRow): Record<string, string> {
  return { title, filename, ...(externalId !== null && { externalId }) };
}

/** Newest first. */
export async function listDocuments(db: Queryable, workspaceId: string, query: DocumentQuery): Promise<Listed<Document>> {
  const { status, externalId, label } = query;
  const [key, value] = labelPair(label ?? '');
  const ofLabel = sql`from document_labels where workspace_id = ${workspaceId} and key = ${key} and value = ${value}`;
  // From the labels to the documents and never the other way, whatever SQLite thinks of it: a page is then as far as one reads.
  const listed = label ? sql`(select document_id ${ofLabel}) labelled cross join documents` : sql`documents`;
  const documents = sql`from ${listed} where workspace_id = ${workspaceId} ${label ? sql`and id = document_id` : sql``}
    ${status ? sql`and status = ${status}` : sql``} ${externalId === undefined ? sql`` : sql`and external_id = ${externalId}`}`;
  const countLabelled = async () => (await db.one(sql<{ total: number }>`select count(*) as total ${ofLabel}`)).total;
  const { rows: found, meta } = await listPage(db, query, {
    rows: sql<DocumentRow>`select ${columns} ${documents}`,
    counted: documents,
    ...(label && !status && externalId === undefined && { total: countLabelled }),
    key: label ? 'document_id' : 'id',
    keyKind: 'id',
    order: 'desc',
    keyOf: ({ id }) => id,
    longColumns: ['labels'],
  });
  return { rows: found.map(documentOf), meta };
}

export async function findDocument(db: Queryable, place: DocumentPlace): Promise<Document | undefined> {
  const row = await db.maybeOne(sql<DocumentRow>`select ${columns} from documents where ${isDocument(place)}`);
  return row && documentOf(row);
}

export async function requireDocument(db: Queryable, place: DocumentPlace): Promise<Document> {
  const document = await findDocument(db, place);
  if (!document) throw notFound('Document');
  return document;
}

export async function requireContent(db: Queryable, { workspaceId, documentId }: DocumentPlace): Promise<Buffer> {
  const row = await db.maybeOne(sql<{ content: Uint8Array }>`
    select content from document_contents where workspace_id = ${workspaceId} and document_id = ${documentId}`);
  if (!row) throw notFound('Document');
  return Buffer.from(row.content);
}

/** All of it at once: a file is bounded, and so are its chunks. */
export async function deleteDocument(db: Queryable, by: Actor, place: DocumentPlace, nowMs: number): Promise<void> {
  const { workspaceId, documentId } = place;
  await db.batch([
    sql`delete from documents where ${isDocument(place)}`.orElse(() => notFound('Document')),
    sql`delete from document_contents where workspace_id = ${workspaceId} and document_id = ${documentId}`,
    ...deleteChunks(place),
    ...deleteFormerText(place),
    bumpKnowledgeRevision(workspaceId),
    recordChange(workspaceId, ['documents'], nowMs),
    recordAudit(by, { workspaceId, action: 'document.delete', resourceId: documentId }, nowMs),
    recordEvent({ workspaceId, type: 'document.deleted', subjectId: documentId }, nowMs),
  ]);
}

/** Back to the beginning: as after the upload, it is found once it is indexed. What it is about to replace stays found. */
export async function reindexDocument(
  db: Queryable,
  by: Actor,
  place: DocumentPlace,
  nowMs: number,
  onlyFailed = false,
): Promise<Document> {
  const { workspaceId, documentId } = place;
  const [[row]] = await db.batch([
    sql<DocumentRow>`
      update documents set status = 'processing', error = ${null}, chunks_indexed = 0, revision = revision + 1, updated_at = ${timestamp(nowMs)}
      where ${isDocument(place)} ${onlyFailed ? sql`and status = 'failed'` : sql``}
      returning ${columns}`.orElse(() => (onlyFailed ? conflict('The job has not failed') : notFound('Document'))),
    ...deleteChunks(place),
    ...restartIndexing(place, nowMs),
    bumpKnowledgeRevision(workspaceId),
    recordChange(workspaceId, ['documents'], nowMs),
    recordAudit(by, { workspaceId, action: 'document.reindex', resourceId: documentId }, nowMs),
  ]);
  return documentOf(row);
}

const FORMER_STAYS = 'The text that it was to replace is still found.';

/** The reason stands with the document, whether or not it is tried again. False when the document is gone, or begun anew. */
export async function noteFailure(db: Queryable, document: DocumentAt, failure: IndexingFailure, nowMs: number): Promise<boolean> {
  const { error, attempts, isFinal } = failure;
  const reason = sql`cast(${error} as text)`;
  const noted = sql`
    update documents set status = ${isFinal ? 'failed' : 'processing'}, attempts = ${attempts}, updated_at = ${timestamp(nowMs)},
      error = ${isFinal ? sql`case when ${hasFormerText(document)} then ${reason} || ${`. ${FORMER_STAYS}`} else ${reason} end` : reason}
    where ${isAt(document)}`;
  const { workspaceId, documentId } = document;
  const failed = [
    recordChange(workspaceId, ['documents'], nowMs),
    recordEvent({ workspaceId, type: 'document.failed', subjectId: documentId }, nowMs),
  ];
  return unlessGone(db.batch([noted.orElse(gone), ...(isFinal ? failed : [])]));
}

export function enqueueIndexing({ workspaceId, documentId }: DocumentPlace, nowMs: number): Sql {
  return enqueue({ kind: 'index-document', key: documentId, workspaceId, payload: { documentId } }, nowMs);
}

/** From the beginning, and with all of its attempts. */
export function restartIndexing(place: DocumentPlace, nowMs: number): Sql[] {
  return [dropWaiting('index-document', place.documentId, place.workspaceId), enqueueIndexing(place, nowMs)];
}

export function bumpKnowledgeRevision(workspaceId: string): Sql {
  return sql`
    insert into knowledge_revisions (workspace_id, revision) values (${workspaceId}, ${1})
    on conflict (workspace_id) do update set revision = knowledge_revisions.revision + 1`;
}

export function deleteChunks({ workspaceId, documentId }: DocumentPlace): Sql[] {
  return [
    sql`delete from chunks where workspace_id = ${workspaceId} and document_id = ${documentId}`,
    sql`delete from vectors where workspace_id = ${workspaceId} and kind = 'chunk' and scope_id = ${documentId}`,
    sql`delete from refused_texts where workspace_id = ${workspaceId} and kind = 'chunk' and scope_id = ${documentId}`,
    // One that is indexed again has a higher revision then.
    noteChangedThreads(
      workspaceId,
      'chunk',
      sql`select id, revision as edits from documents where ${isDocument({ workspaceId, documentId })}`,
    ),
    noteChangedThreads(
      workspaceId,
      'chunk',
      sql`
      select * from (${goneForGood(documentId)}) gone
      where not exists (select 1 from documents where ${isDocument({ workspaceId, documentId })})`,
    ),
  ];
}

export function replaceLabels(place: DocumentPlace, labels: readonly string[]): Sql[] {
  const { workspaceId, documentId } = place;
  return [
    sql`delete from document_labels where workspace_id = ${workspaceId} and document_id = ${documentId}`,
    ...labelInsertions(place, labels),
  ];
}

function labelInsertions({ workspaceId, documentId }: DocumentPlace, labels: readonly string[]): Sql[] {
  const pairs = Object.entries(labelMap(labels));
  if (pairs.length === 0) return [];
  return [
    sql`insert into document_labels (workspace_id, key, value, document_id)
        values ${rows(pairs.map(([key, value]) => [workspaceId, key, value, documentId]))}`,
  ];
}

export function isDocument({ workspaceId, documentId }: DocumentPlace): Sql {
  return sql`workspace_id = ${workspaceId} and id = ${documentId}`;
}

export function isAt({ revision, ...place }: DocumentAt): Sql {
  return sql`${isDocument(place)} and revision = ${revision}`;
}

export function documentOf({ externalId, sizeBytes, error, ...row }: DocumentRow): Document {
  return {
    ...row,
    ...(externalId !== null && { externalId }),
    size: { value: sizeBytes, unit: 'bytes' },
    ...(error !== null && { error }),
  };
}

class Gone extends Error {}
export const gone = () => new Gone();

/** False where a statement threw `gone`. */
export async function unlessGone(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof Gone) return false;
    throw error;
  }
}
