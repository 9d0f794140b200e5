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
import { notFound } from '../errors.ts';
import { enqueue } from '../jobs/queue.ts';
import { lockWorkspace } from '../workspaces/store.ts';
import { CHUNK_OVERLAP, CHUNK_SIZE, type Chunk, strategyOf } from './chunking.ts';
import { labelMap, type UploadedText } from './rules.ts';

export interface DocumentPlace {
  readonly workspaceId: string;
  readonly documentId: string;
}

interface DocumentRow extends Omit<Document, 'size' | 'error'> {
  sizeBytes: number;
  error: string | null;
}

const columns = shape<DocumentRow>({
  id: 'text',
  workspaceId: 'text',
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
const stored = columns.with<{ revision: number }>({ revision: 'integer' });

const chunkColumns = shape<Chunk & DocumentPlace>({
  workspaceId: 'text',
  documentId: 'text',
  position: 'integer',
  heading: 'text',
  text: 'text',
  startOffset: 'integer',
  endOffset: 'integer',
});

export interface NewDocument {
  readonly title: string;
  readonly labels: readonly string[];
  readonly file: UploadedText;
  readonly bytes: Buffer;
}

export async function createDocument(db: Queryable, by: Actor, workspaceId: string, upload: NewDocument, nowMs: number): Promise<Document> {
  const now = timestamp(nowMs);
  const row: DocumentRow = {
    id: newId(),
    workspaceId,
    title: upload.title,
    filename: upload.file.filename,
    contentType: upload.file.contentType,
    checksum: createHash('sha256').update(upload.bytes).digest('hex'),
    sizeBytes: upload.bytes.length,
    charCount: lengthOf(upload.file.text),
    status: 'processing',
    error: null,
    labels: [...upload.labels],
    chunkingStrategy: strategyOf(upload.file.contentType),
    chunkSize: CHUNK_SIZE,
    chunkOverlap: CHUNK_OVERLAP,
    chunksTotal: 0,
    chunksIndexed: 0,
    createdAt: now,
    updatedAt: now,
  };
  const place = { workspaceId, documentId: row.id };
  await db.batch([
    lockWorkspace(workspaceId),
    stored.insertInto('documents', [row], { revision: 0 }),
    sql`insert into document_contents (workspace_id, document_id, content) values (${workspaceId}, ${row.id}, ${upload.bytes})`,
    ...labelInsertions(place, row.labels),
    enqueueIndexing(place, nowMs),
    recordAudit(
      by,
      { workspaceId, action: 'document.create', resourceId: row.id, detail: { title: row.title, filename: row.filename } },
      nowMs,
    ),
  ]);
  return documentOf(row);
}

/** Newest first. */
export async function listDocuments(db: Queryable, workspaceId: string, query: DocumentQuery): Promise<Listed<Document>> {
  const documents = sql`from documents where workspace_id = ${workspaceId} ${query.status ? sql`and status = ${query.status}` : sql``}`;
  const { rows: found, meta } = await listPage(db, query, {
    rows: sql<DocumentRow>`select ${columns} ${documents}`,
    counted: documents,
    key: 'id',
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
    bumpKnowledgeRevision(workspaceId),
    recordAudit(by, { workspaceId, action: 'document.delete', resourceId: documentId }, nowMs),
  ]);
}

/** Back to the beginning: as after the upload, it is found once it is indexed. */
export async function reindexDocument(db: Queryable, by: Actor, place: DocumentPlace, nowMs: number): Promise<Document> {
  const { workspaceId, documentId } = place;
  const [[row]] = await db.batch([
    sql<DocumentRow>`
      update documents set status = 'processing', error = ${null}, chunks_indexed = 0, revision = revision + 1, updated_at = ${timestamp(nowMs)}
      where ${isDocument(place)} returning ${columns}`.orElse(() => notFound('Document')),
    ...deleteChunks(place),
    enqueueIndexing(place, nowMs),
    bumpKnowledgeRevision(workspaceId),
    recordAudit(by, { workspaceId, action: 'document.reindex', resourceId: documentId }, nowMs),
  ]);
  return documentOf(row);
}

/** Takes the place of whatever an earlier try left. False when the document is gone. */
export async function replaceChunks(db: Queryable, place: DocumentPlace, chunks: readonly Chunk[], nowMs: number): Promise<boolean> {
  const { workspaceId, documentId } = place;
  const insertions: Sql[] = [];
  for (let start = 0; start < chunks.length; start += CHUNKS_IN_ONE_STATEMENT) {
    const some = chunks.slice(start, start + CHUNKS_IN_ONE_STATEMENT);
    insertions.push(chunkColumns.insertInto('chunks', some, { workspaceId, documentId }));
  }
  return unlessGone(
    db.batch([
      sql`update documents set chunks_total = ${chunks.length}, chunks_indexed = 0, updated_at = ${timestamp(nowMs)} where ${isDocument(place)}`.orElse(
        gone,
      ),
      ...deleteChunks(place),
      ...insertions,
    ]),
  );
}

const CHUNKS_IN_ONE_STATEMENT = 200;

/** The reason stands with the document, whether or not it is tried again. */
export async function noteFailure(db: Queryable, place: DocumentPlace, error: string, isFinal: boolean, nowMs: number): Promise<void> {
  await db.run(sql`
    update documents set error = ${error}, status = ${isFinal ? 'failed' : 'processing'}, updated_at = ${timestamp(nowMs)} where ${isDocument(place)}`);
}

/** Documents in processing that no job will come back to, each with the reason why its last job was given up, if it was. */
export async function findStalledDocuments(db: Queryable, olderThan: string): Promise<(DocumentPlace & { reason: string | null })[]> {
  return db.query(sql<DocumentPlace & { reason: string | null }>`
    select workspace_id as "workspaceId", id as "documentId", (
      select j.last_error from jobs j
      where j.kind = 'index-document' and j.key = cast(d.id as text) and j.failed_at >= d.updated_at
      order by j.failed_at desc limit 1) as reason
    from documents d
    where status = 'processing' and updated_at < ${olderThan} and not exists (
      select 1 from jobs j where j.kind = 'index-document' and j.key = cast(d.id as text) and j.failed_at is null)
    limit 1000`);
}

export function enqueueIndexing({ workspaceId, documentId }: DocumentPlace, nowMs: number): Sql {
  return enqueue({ kind: 'index-document', key: documentId, workspaceId, payload: { documentId } }, nowMs);
}

export function bumpKnowledgeRevision(workspaceId: string): Sql {
  return sql`
    insert into knowledge_revisions (workspace_id, revision) values (${workspaceId}, ${1})
    on conflict (workspace_id) do update set revision = knowledge_revisions.revision + 1`;
}

function deleteChunks({ workspaceId, documentId }: DocumentPlace): Sql[] {
  return [
    sql`delete from chunks where workspace_id = ${workspaceId} and document_id = ${documentId}`,
    sql`delete from vectors where workspace_id = ${workspaceId} and kind = 'chunk' and scope_id = ${documentId}`,
    sql`delete from refused_texts where workspace_id = ${workspaceId} and kind = 'chunk' and scope_id = ${documentId}`,
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

function documentOf({ sizeBytes, error, ...row }: DocumentRow): Document {
  return { ...row, size: { value: sizeBytes, unit: 'bytes' }, ...(error !== null && { error }) };
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
