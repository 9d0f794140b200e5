/** What is found of a document until the file that replaces it is indexed: its chunks and vectors stand under an id of their own. */
import { newId } from '../db/ids.ts';
import { json, type Sql, sql } from '../db/sql.ts';
import { noteChangedThreads } from '../search/segments/changed-items.ts';
import type { DocumentAt, DocumentPlace } from './store.ts';

export interface FoundText extends DocumentAt {
  readonly title: string;
  readonly labels: readonly string[];
  readonly chunksTotal: number;
}

/** For an indexed document. It is found as it was, by another name; the document's own is free for what comes. */
export function setTextAside(text: FoundText): Sql[] {
  const { workspaceId, documentId, title, labels, chunksTotal, revision } = text;
  const id = newId();
  return [
    ...deleteFormerText(text),
    sql`insert into former_texts (workspace_id, id, document_id, title, labels, chunks_total, revision)
        values (${workspaceId}, ${id}, ${documentId}, ${title}, ${json(labels)}, ${chunksTotal}, ${revision})`,
    sql`update chunks set document_id = ${id} where workspace_id = ${workspaceId} and document_id = ${documentId}`,
    sql`update vectors set scope_id = ${id} where workspace_id = ${workspaceId} and kind = 'chunk' and scope_id = ${documentId}`,
    sql`update refused_texts set scope_id = ${id} where workspace_id = ${workspaceId} and kind = 'chunk' and scope_id = ${documentId}`,
  ];
}

/** Nothing happens where there is none. */
export function deleteFormerText(place: DocumentPlace): Sql[] {
  const { workspaceId } = place;
  const former = sql`(select f.id from former_texts f where ${isFormerOf(place)})`;
  return [
    sql`delete from chunks where workspace_id = ${workspaceId} and document_id in ${former}`,
    sql`delete from vectors where workspace_id = ${workspaceId} and kind = 'chunk' and scope_id in ${former}`,
    sql`delete from refused_texts where workspace_id = ${workspaceId} and kind = 'chunk' and scope_id in ${former}`,
    // Both names that its chunks may be kept under.
    noteChangedThreads(
      workspaceId,
      'chunk',
      sql`select f.id, f.revision as edits from former_texts f where ${isFormerOf(place)} union
        select f.document_id, f.revision from former_texts f where ${isFormerOf(place)}`,
    ),
    sql`delete from former_texts where workspace_id = ${workspaceId} and document_id = ${place.documentId}`,
  ];
}

export function hasFormerText(place: DocumentPlace): Sql {
  return sql`exists (select 1 from former_texts f where ${isFormerOf(place)})`;
}

function isFormerOf({ workspaceId, documentId }: DocumentPlace): Sql {
  return sql`f.workspace_id = ${workspaceId} and f.document_id = ${documentId}`;
}
