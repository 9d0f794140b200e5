/** Documents by the caller's own id: made, left as they are, or replaced. */
import type { Document } from '@commonplace/contract/documents';
import { recordAudit } from '../audits/store.ts';
import type { Actor } from '../auth/callers.ts';
import type { Queryable, Transactable, Transaction } from '../db/database.ts';
import { forUpdate, nothing, sql } from '../db/sql.ts';
import { notFound } from '../errors.ts';
import { recordEvent } from '../outbox/outbox.ts';
import { type Amounts, textBytes } from '../quotas/rules.ts';
import { recordChange } from '../roll-ups/pending-counts.ts';
import { lockWorkspace } from '../workspaces/store.ts';
import { setTextAside } from './former-text-store.ts';
import { isSameText } from './rules.ts';
import {
  auditDetail,
  bumpKnowledgeRevision,
  columns,
  creation,
  type DocumentRow,
  deleteChunks,
  deleteDocument,
  documentOf,
  isDocument,
  type NewDocument,
  newRow,
  replaceLabels,
  restartIndexing,
  stored,
} from './store.ts';

type StoredRow = DocumentRow & { revision: number };
type NamedDocument = NewDocument & { readonly externalId: string };

/** The key of the table decides who makes it: of two uploads at once, the second finds the document of the first. */
export async function putDocument(
  db: Transactable,
  by: Actor,
  workspaceId: string,
  upload: NamedDocument,
  nowMs: number,
): Promise<{ document: Document; isNew: boolean }> {
  const row = newRow(workspaceId, upload, nowMs);
  const held = await findByExternalId(db, workspaceId, upload.externalId);
  if (held && isUnchanged(held, withLabels(row, upload, held))) return { document: documentOf(held), isNew: false };
  const put = await db.transaction(async (tx) => {
    await tx.one(lockWorkspace(workspaceId));
    const insertion = stored.insertInto('documents', [row], { revision: 0 });
    if ((await tx.run(sql`${insertion} on conflict do nothing`)) > 0) {
      await tx.batch(creation(by, row, upload, nowMs));
      return { document: documentOf(row), isNew: true };
    }
    const held = await findByExternalId(tx, workspaceId, upload.externalId, true);
    if (!held) return undefined;
    const changed = await writeOver(tx, by, held, withLabels(row, upload, held), upload, nowMs);
    return { document: documentOf(changed), isNew: false };
  });
  // Deleted between the two statements.
  return put ?? putDocument(db, by, workspaceId, upload, nowMs);
}

/** What an upload adds beside what is sent: a document, or nothing, less the one that it replaces. The same file again adds nothing. */
export async function measureUpload(db: Queryable, workspaceId: string, { externalId }: NewDocument): Promise<Amounts> {
  const held = externalId === undefined ? undefined : await findByExternalId(db, workspaceId, externalId);
  if (!held) return { documents: 1 };
  return { bytes: -(held.sizeBytes + textBytes([held.title, held.filename, held.labels, held.externalId])) };
}

export async function deleteDocumentByExternalId(
  db: Queryable,
  by: Actor,
  workspaceId: string,
  externalId: string,
  nowMs: number,
): Promise<void> {
  const held = await findByExternalId(db, workspaceId, externalId);
  if (!held) throw notFound('Document');
  await deleteDocument(db, by, { workspaceId, documentId: held.id }, nowMs);
}

async function findByExternalId(db: Queryable, workspaceId: string, externalId: string, isLocked = false): Promise<StoredRow | undefined> {
  return db.maybeOne(sql<StoredRow>`
    select ${stored} from documents where workspace_id = ${workspaceId} and external_id = ${externalId}${isLocked ? forUpdate : nothing}`);
}

/** An upload that says nothing of labels leaves them as they are. */
function withLabels(row: DocumentRow, { labels }: NamedDocument, held: DocumentRow): DocumentRow {
  return labels === undefined ? { ...row, labels: held.labels } : row;
}

async function writeOver(
  tx: Transaction,
  by: Actor,
  held: StoredRow,
  row: DocumentRow,
  upload: NamedDocument,
  nowMs: number,
): Promise<DocumentRow> {
  if (isUnchanged(held, row)) return held;
  return isSameText(held, row) ? changeLabels(tx, by, held, row, nowMs) : replace(tx, by, held, row, upload, nowMs);
}

function isUnchanged(held: DocumentRow, row: DocumentRow): boolean {
  return isSameText(held, row) && held.filename === row.filename && JSON.stringify(held.labels) === JSON.stringify(row.labels);
}

/** In force for search at once: nothing of this is embedded. */
async function changeLabels(tx: Transaction, by: Actor, held: StoredRow, row: DocumentRow, nowMs: number): Promise<DocumentRow> {
  const { workspaceId, id: documentId } = held;
  const place = { workspaceId, documentId };
  const { labels, filename, updatedAt } = row;
  // While it is being indexed, another revision would begin that anew.
  const revision = held.status === 'indexed' ? held.revision + 1 : held.revision;
  const [[changed]] = await tx.batch([
    sql<DocumentRow>`
      update documents set ${stored.assignments({ labels, filename, updatedAt, revision })} where ${isDocument(place)}
      returning ${columns}`.orElse(() => notFound('Document')),
    ...replaceLabels(place, labels),
    bumpKnowledgeRevision(workspaceId),
    recordAudit(by, { workspaceId, action: 'document.update', resourceId: documentId, detail: auditDetail(row) }, nowMs),
    recordEvent({ workspaceId, type: 'document.replaced', subjectId: documentId, data: { sameText: true } }, nowMs),
  ]);
  return changed;
}

/** What was found stays found, with the title and the labels that it had, until the new text is indexed. */
async function replace(
  tx: Transaction,
  by: Actor,
  held: StoredRow,
  row: DocumentRow,
  { bytes }: NamedDocument,
  nowMs: number,
): Promise<DocumentRow> {
  const { workspaceId, id: documentId } = held;
  const place = { workspaceId, documentId };
  const { id: _, workspaceId: __, createdAt: ___, ...replacement } = row;
  const [[replaced]] = await tx.batch([
    sql<DocumentRow>`
      update documents set ${stored.assignments({ ...replacement, revision: held.revision + 1 })} where ${isDocument(place)}
      returning ${columns}`.orElse(() => notFound('Document')),
    // What was never found, an earlier replacement say, goes.
    ...(held.status === 'indexed' ? setTextAside({ ...held, documentId }) : deleteChunks(place)),
    sql`update document_contents set content = ${bytes} where workspace_id = ${workspaceId} and document_id = ${documentId}`,
    ...replaceLabels(place, row.labels),
    ...restartIndexing(place, nowMs),
    bumpKnowledgeRevision(workspaceId),
    recordChange(workspaceId, ['documents'], nowMs),
    recordAudit(by, { workspaceId, action: 'document.replace', resourceId: documentId, detail: auditDetail(row) }, nowMs),
    recordEvent({ workspaceId, type: 'document.replaced', subjectId: documentId, data: { sameText: false } }, nowMs),
  ]);
  return replaced;
}
