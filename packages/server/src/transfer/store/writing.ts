/** What is brought in at once: agents, prompts with their versions, documents with their bytes. */
import type { AgentLine, DocumentChunksLine, DocumentLine, PromptLine, PromptVersionLine } from '@commonplace/contract/transfer';
import { noteRetention } from '../../agents/store.ts';
import type { Queryable } from '../../db/database.ts';
import { UniqueViolation } from '../../db/errors.ts';
import { shape } from '../../db/shape.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { enqueueIndexing, newRow, replaceLabels, stored as storedDocument } from '../../documents/store.ts';
import { conflict, invalid } from '../../errors.ts';
import { handleOf, uniqueHandleOf } from '../../handles.ts';
import { recordChange } from '../../roll-ups/pending-counts.ts';
import { upsertVectors } from '../../search/vectors.ts';
import { lockWorkspace } from '../../workspaces/store.ts';
import { agentColumns, promptVersionColumns } from './reading.ts';

const storedAgents = agentColumns.with<{ workspaceId: string; kind: string }>({ workspaceId: 'text', kind: 'text' });

/** Where another agent has its handle, it gets one with a short end, as a new agent would. */
export async function insertAgent(db: Queryable, workspaceId: string, agent: AgentLine): Promise<void> {
  const row = { ...agent, workspaceId, kind: 'unmanaged', handle: handleOf(agent.handle) || uniqueHandleOf('agent') };
  await db.batch([
    lockWorkspace(workspaceId),
    sql`${storedAgents.insertInto('agents', [row])} on conflict (workspace_id, handle) do nothing`,
    sql`${storedAgents.insertInto('agents', [{ ...row, handle: uniqueHandleOf(row.handle) }])} on conflict (workspace_id, id) do nothing`,
    noteRetention(workspaceId, agent.id, agent.configs.retentionDays ?? undefined),
  ]);
}

const promptColumns = shape<PromptLine & { workspaceId: string; handle: string }>({
  id: 'text',
  workspaceId: 'text',
  name: 'text',
  handle: 'text',
  description: 'text',
  lastVersion: 'integer',
  latestVersion: 'integer',
  productionVersion: 'integer',
  createdAt: 'time',
  updatedAt: 'time',
});
const storedVersions = promptVersionColumns.with<{ workspaceId: string }>({ workspaceId: 'text' });

export async function insertPrompt(
  db: Queryable,
  workspaceId: string,
  prompt: PromptLine,
  versions: readonly PromptVersionLine[],
): Promise<void> {
  const handle = handleOf(prompt.name);
  if (handle === '') throw invalid('name', 'Name must contain a letter or a digit');
  const numbers = new Set(versions.map(({ version }) => version));
  const highest = Math.max(...numbers);
  const { latestVersion, productionVersion } = prompt;
  const row = {
    ...prompt,
    handle,
    lastVersion: Math.max(prompt.lastVersion, highest),
    latestVersion: latestVersion !== null && numbers.has(latestVersion) ? latestVersion : highest,
    productionVersion: productionVersion !== null && numbers.has(productionVersion) ? productionVersion : null,
  };
  const insertions = versions.map((version) =>
    storedVersions.insertInto('prompt_versions', [{ ...version, meta: version.meta ?? null, config: version.config ?? {} }], {
      workspaceId,
    }),
  );
  try {
    await db.batch([lockWorkspace(workspaceId), promptColumns.insertInto('prompts', [row], { workspaceId }), ...insertions]);
  } catch (error) {
    throw withoutDuplicate(error);
  }
}

function withoutDuplicate(error: unknown): unknown {
  if (!(error instanceof UniqueViolation)) return error;
  if (error.table === 'prompts' && error.columns.includes('handle')) return conflict('Another prompt with this name exists already');
  if (error.table === 'prompt_versions') return conflict('The prompt has two versions with the same number or id');
  return error.table === 'documents' && error.columns.includes('external_id')
    ? conflict('Another document with this external id exists already')
    : error;
}

export interface ImportedDocument {
  readonly line: DocumentLine;
  readonly bytes: Buffer;
  readonly text: string;
  readonly contentType: 'text/markdown' | 'text/plain';
  /** Cut and embedded by the model that is in use here; none where that is to be done. */
  readonly chunks: DocumentChunksLine['chunks'];
  readonly model: string;
}

const chunkColumns = shape<Pick<DocumentChunksLine['chunks'][number], 'position' | 'heading' | 'text' | 'startOffset' | 'endOffset'>>({
  position: 'integer',
  heading: 'text',
  text: 'text',
  startOffset: 'integer',
  endOffset: 'integer',
}).with<{ workspaceId: string; documentId: string }>({ workspaceId: 'text', documentId: 'text' });
const CHUNKS_IN_ONE_STATEMENT = 200;

/** Indexed in the background, as after an upload. Of one that comes with its chunks and vectors nothing is left to do there. */
export async function insertDocument(db: Queryable, workspaceId: string, document: ImportedDocument, nowMs: number): Promise<void> {
  const { line, bytes, text, contentType, chunks } = document;
  const { id: documentId, title, labels, filename, createdAt, updatedAt } = line;
  const externalId = line.externalId ?? undefined;
  const upload = { externalId, title, labels, file: { filename, contentType, text }, bytes };
  const chunksIndexed = chunks.filter(({ vector }) => vector !== null).length;
  const row = {
    ...newRow(workspaceId, upload, nowMs),
    id: documentId,
    createdAt,
    updatedAt,
    ...(chunks.length > 0 && { chunksTotal: chunks.length, chunksIndexed }),
  };
  const place = { workspaceId, documentId };
  try {
    await db.batch([
      lockWorkspace(workspaceId),
      storedDocument.insertInto('documents', [row], { revision: 0 }),
      sql`insert into document_contents (workspace_id, document_id, content) values (${workspaceId}, ${documentId}, ${bytes})`,
      ...replaceLabels(place, labels),
      ...chunkInsertions(place, document),
      enqueueIndexing(place, nowMs),
      recordChange(workspaceId, ['documents'], nowMs),
    ]);
  } catch (error) {
    throw withoutDuplicate(error);
  }
}

function chunkInsertions(place: { workspaceId: string; documentId: string }, { chunks, model }: ImportedDocument): Sql[] {
  const statements: Sql[] = [];
  const scope = { workspaceId: place.workspaceId, kind: 'chunk', scopeId: place.documentId };
  for (let start = 0; start < chunks.length; start += CHUNKS_IN_ONE_STATEMENT) {
    const some = chunks.slice(start, start + CHUNKS_IN_ONE_STATEMENT);
    statements.push(chunkColumns.insertInto('chunks', some, place));
    const vectors = some.flatMap(({ position, vector, tokenCodes }) =>
      vector === null
        ? []
        : [
            {
              itemId: String(position),
              vector: Buffer.from(vector, 'base64'),
              tokenCodes: tokenCodes === null ? undefined : Buffer.from(tokenCodes, 'base64'),
            },
          ],
    );
    if (vectors.length > 0) statements.push(upsertVectors(scope, vectors, model));
  }
  return statements;
}
