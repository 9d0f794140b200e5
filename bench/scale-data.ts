/** Scopes of a million items, straight into the database: to embed them would take hours. Texts and vectors come again and again, with changes. */
import { pino } from 'pino';
import { createApiKey } from '../packages/server/src/api-keys/store.ts';
import { readConfig } from '../packages/server/src/config.ts';
import type { Database } from '../packages/server/src/db/database.ts';
import { newId, newIdAt } from '../packages/server/src/db/ids.ts';
import { migrate } from '../packages/server/src/db/migrate.ts';
import { openDatabase } from '../packages/server/src/db/open.ts';
import { rows, sql } from '../packages/server/src/db/sql.ts';
import { createEmbedder } from '../packages/server/src/search/embedding/create.ts';
import { LOCAL_MODEL_WITH_TOKENS } from '../packages/server/src/search/embedding/model-files.ts';
import { quantize } from '../packages/server/src/search/embedding/quantize.ts';
import { createUser } from '../packages/server/src/users/store.ts';
import { createWorkspace } from '../packages/server/src/workspaces/store.ts';
import { chunkText, insertDocument, randomFrom, sentence } from './texts.ts';

const ROWS_AT_ONCE = 500;
const REAL_VECTORS = 500;
const DAY_MS = 86_400_000;

export interface ScaleWorkspace {
  readonly workspaceId: string;
  /** Below the service's address: what a search is sent to. */
  readonly path: string;
  readonly items: number;
}

export interface ScaleData {
  readonly apiKey: string;
  /** Messages of one session, for each count. */
  readonly messages: readonly ScaleWorkspace[];
  /** Chunks of one workspace, for each count. */
  readonly chunks: readonly ScaleWorkspace[];
}

export async function fillScale(
  environment: Readonly<Record<string, string>>,
  messageCounts: readonly number[],
  chunkCounts: readonly number[],
): Promise<ScaleData> {
  const db = await openDatabase(readConfig(environment), pino({ level: 'silent' }));
  await migrate(db);
  const nowMs = Date.now();
  const origin = { address: 'local', requestId: 'bench' };
  const user = await createUser(db, origin, { email: 'bench@localhost', name: 'Bench', passwordHash: null }, 'admin', nowMs);
  const by = { type: 'user', id: user.id, name: user.name, ...origin } as const;
  const { key: apiKey } = await createApiKey(db, by, user.id, { name: 'Bench' }, nowMs);
  const vectors = await realVectors();
  const newWorkspace = async (name: string) => (await createWorkspace(db, by, { name }, nowMs)).id;
  const messages: ScaleWorkspace[] = [];
  for (const count of messageCounts) messages.push(await fillMessages(db, await newWorkspace(`${count} messages`), count, vectors));
  const chunks: ScaleWorkspace[] = [];
  for (const count of chunkCounts) chunks.push(await fillChunks(db, await newWorkspace(`${count} chunks`), count, vectors));
  await db.close();
  return { apiKey, messages, chunks };
}

async function realVectors(): Promise<Uint8Array[]> {
  const embedder = createEmbedder({});
  const texts = Array.from({ length: REAL_VECTORS }, (_, index) => sentence(index));
  const vectors = (await embedder.embed(texts)) as Float32Array[];
  await embedder.close();
  return vectors.map((vector) => quantize(vector));
}

/** One of them, a few components moved. */
function vectorNear(vectors: readonly Uint8Array[], seed: number): Uint8Array {
  const random = randomFrom(seed);
  const vector = (vectors[seed % vectors.length] as Uint8Array).slice();
  for (let i = 0; i < 40; i++) vector[4 + Math.floor(random() * (vector.length - 4))] = Math.floor(random() * 256);
  return vector;
}

async function fillMessages(db: Database, workspaceId: string, count: number, vectors: readonly Uint8Array[]): Promise<ScaleWorkspace> {
  const [agentId, sessionId, firstMs] = [newId(), newId(), Date.now() - 100 * DAY_MS];
  const now = new Date().toISOString();
  await db.batch([
    sql`insert into agents (workspace_id, id, name, handle, description, kind, status, configs, kb_labels, created_at, updated_at)
        values (${workspaceId}, ${agentId}, 'Bench', 'bench', '', 'bot', 'active', '{}', '[]', ${now}, ${now})`,
    sql`insert into sessions (workspace_id, id, agent_id, external_id, named, title, status, labels, labels_key, meta, message_count, message_edits,
          memory_count, memory_edits, last_activity_at, created_at, updated_at)
        values (${workspaceId}, ${sessionId}, ${agentId}, 'bench', ${true}, '', 'active', '{}', '', '{}', ${count}, 0, 0, 0, ${now}, ${now}, ${now})`,
  ]);
  for (let start = 0; start < count; start += ROWS_AT_ONCE) {
    const numbers = Array.from({ length: Math.min(ROWS_AT_ONCE, count - start) }, (_, index) => start + index);
    const made = numbers.map((number) => {
      const ms = firstMs + Math.floor((number / count) * 100 * DAY_MS);
      return { number, id: newIdAt(ms), at: new Date(ms).toISOString() };
    });
    await db.batch([
      sql`insert into messages (workspace_id, session_id, id, role, content, meta, version, created_at, updated_at)
          values ${rows(made.map(({ number, id, at }) => [workspaceId, sessionId, id, number % 2 ? 'assistant' : 'user', sentence(number), '{}', 1, at, at]))}`,
      sql`insert into vectors (workspace_id, kind, scope_id, item_id, model, vector)
          values ${rows(made.map(({ number, id }) => [workspaceId, 'message', sessionId, id, LOCAL_MODEL_WITH_TOKENS, vectorNear(vectors, number)]))}`,
    ]);
  }
  return { workspaceId, items: count, path: `/api/v1/workspaces/${workspaceId}/agents/${agentId}/sessions/${sessionId}/messages/search` };
}

async function fillChunks(db: Database, workspaceId: string, count: number, vectors: readonly Uint8Array[]): Promise<ScaleWorkspace> {
  const documentId = newId();
  await insertDocument(db, workspaceId, documentId, count);
  for (let start = 0; start < count; start += ROWS_AT_ONCE) {
    const positions = Array.from({ length: Math.min(ROWS_AT_ONCE, count - start) }, (_, index) => start + index);
    await db.batch([
      sql`insert into chunks (workspace_id, document_id, position, heading, text, start_offset, end_offset)
          values ${rows(positions.map((position) => [workspaceId, documentId, position, '', chunkText(position), 0, 0]))}`,
      sql`insert into vectors (workspace_id, kind, scope_id, item_id, model, vector)
          values ${rows(positions.map((position) => [workspaceId, 'chunk', documentId, String(position), LOCAL_MODEL_WITH_TOKENS, vectorNear(vectors, position)]))}`,
    ]);
  }
  return { workspaceId, items: count, path: `/api/v1/workspaces/${workspaceId}/documents/search` };
}
