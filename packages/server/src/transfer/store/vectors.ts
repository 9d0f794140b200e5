/** Vectors as they are taken out, with the chunks of documents. */
import type { DocumentChunksLine, VectorsLine } from '@commonplace/contract/transfer';
import type { Queryable } from '../../db/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { SessionKey } from './reading.ts';

const VECTORS_AT_ONCE = 100;

export interface StoredVectorRow {
  readonly id: string;
  readonly vector: Uint8Array;
  readonly tokenCodes: Uint8Array | null;
}

/** Of one model: those of another tell nobody anything. */
export async function* readSessionVectors(
  db: Queryable,
  { workspaceId, sessionId }: SessionKey,
  kind: VectorsLine['kind'],
  model: string,
): AsyncGenerator<StoredVectorRow[], void> {
  for (let after: Sql = sql``; ; ) {
    const page: StoredVectorRow[] = await db.query(sql<StoredVectorRow>`
      select item_id as id, vector, token_codes as "tokenCodes" from vectors
      where workspace_id = ${workspaceId} and kind = ${kind} and scope_id = ${sessionId} and model = ${model} ${after}
      order by item_id limit ${VECTORS_AT_ONCE}`);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = sql`and item_id > ${last.id}`;
  }
}

export type ChunkRow = Omit<DocumentChunksLine['chunks'][number], 'vector' | 'tokenCodes'> & {
  readonly vector: Uint8Array | null;
  readonly tokenCodes: Uint8Array | null;
};

/** Of a document that is found: while another text replaces it, its chunks are to be cut anew anyway. */
export async function* readChunks(db: Queryable, workspaceId: string, documentId: string, model: string): AsyncGenerator<ChunkRow[], void> {
  for (let after = -1; ; ) {
    const page: ChunkRow[] = await db.query(sql<ChunkRow>`
      select c.position, c.heading, c.text, c.start_offset as "startOffset", c.end_offset as "endOffset", v.vector, v.token_codes as "tokenCodes"
      from chunks c
      join documents d on d.workspace_id = c.workspace_id and d.id = c.document_id and d.status = 'indexed'
      left join vectors v on v.workspace_id = c.workspace_id and v.kind = 'chunk' and v.scope_id = c.document_id
        and v.item_id = cast(c.position as text) and v.model = ${model}
      where c.workspace_id = ${workspaceId} and c.document_id = ${documentId} and c.position > ${after}
      order by c.position limit ${VECTORS_AT_ONCE}`);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = last.position;
  }
}
