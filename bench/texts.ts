/** Made-up texts with the word frequencies of prose, always the same; and a database full of them. */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { createApiKey } from '../packages/server/src/api-keys/store.ts';
import { readConfig } from '../packages/server/src/config.ts';
import type { Database } from '../packages/server/src/db/database.ts';
import { migrate } from '../packages/server/src/db/migrate.ts';
import { openDatabase } from '../packages/server/src/db/open.ts';
import { rows, sql } from '../packages/server/src/db/sql.ts';
import { LOCAL_DIMENSIONS, LOCAL_MODEL_WITH_TOKENS } from '../packages/server/src/search/embedding/model-files.ts';
import { quantize } from '../packages/server/src/search/embedding/quantize.ts';
import { createUser } from '../packages/server/src/users/store.ts';
import { createWorkspace } from '../packages/server/src/workspaces/store.ts';

const VOCABULARY = 20_000;
const ROWS_AT_ONCE = 500;
const syllables = 'ba ke li mo nu pa re si to vu da fe gi ho ju la me ni ro sa te wi xo ya ze'.split(' ');

/** A generator that gives the same numbers for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = (seed * 2654435761) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

function word(rank: number): string {
  let rest = rank + 26;
  let text = '';
  while (rest > 0) {
    text += syllables[rest % syllables.length];
    rest = Math.floor(rest / syllables.length);
  }
  return text;
}

function words(count: number, seed: number): string {
  const random = randomFrom(seed + 1);
  // Zipf: the word of rank r comes up about 1/r as often as the first.
  return Array.from({ length: count }, () => word(Math.floor(VOCABULARY ** random()) - 1)).join(' ');
}

export const sentence = (seed: number): string => words(15, seed);
export const chunkText = (seed: number): string => words(150, seed + 1_000_000);
export const questions = (count: number): string[] => Array.from({ length: count }, (_, index) => question(index));

let asked = 0;
const question = (seed: number): string => words(7, seed + 5_000_000);
/** One that was not asked before in this process, by `questions` neither. */
export const newQuestion = (): string => question(1_000_000 + asked++);

/**
 * Workspaces named `<count> chunks`, straight into the database: embedding a hundred thousand chunks would take the better
 * part of an hour. The API key of their owner.
 */
export async function fillWorkspaces(environment: Readonly<Record<string, string>>, counts: readonly number[]): Promise<string> {
  const db = await openDatabase(readConfig(environment), pino({ level: 'silent' }));
  await migrate(db);
  const nowMs = Date.now();
  const origin = { address: 'local', requestId: 'bench' };
  const user = await createUser(db, origin, { email: 'bench@localhost', name: 'Bench', passwordHash: null }, 'admin', nowMs);
  const by = { type: 'user', id: user.id, name: user.name, ...origin } as const;
  const { key } = await createApiKey(db, by, user.id, { name: 'Bench' }, nowMs);
  for (const count of counts) {
    const { id } = await createWorkspace(db, by, { name: `${count} chunks` }, nowMs);
    await fillChunks(db, id, count);
  }
  await db.close();
  return key;
}

/** A document that has so many chunks, and is indexed; they are the caller's to insert. */
export async function insertDocument(db: Database, workspaceId: string, documentId: string, count: number): Promise<void> {
  const now = new Date().toISOString();
  await db.batch([
    sql`insert into documents (workspace_id, id, title, filename, content_type, checksum, size_bytes, char_count, labels, status, error, chunking_strategy,
          chunk_size, chunk_overlap, chunks_total, chunks_indexed, revision, created_at, updated_at)
        values (${workspaceId}, ${documentId}, 'Bench', 'bench.txt', 'text/plain', '', 0, 0, '[]', 'indexed', ${null}, 'text', 1200, 120, ${count}, ${count}, 1,
          ${now}, ${now})`,
    sql`insert into knowledge_revisions (workspace_id, revision) values (${workspaceId}, 1)`,
  ]);
}

async function fillChunks(db: Database, workspaceId: string, count: number): Promise<void> {
  const documentId = randomUUID();
  const random = randomFrom(count);
  await insertDocument(db, workspaceId, documentId, count);
  for (let start = 0; start < count; start += ROWS_AT_ONCE) {
    const positions = Array.from({ length: ROWS_AT_ONCE }, (_, index) => start + index);
    await db.batch([
      sql`insert into chunks (workspace_id, document_id, position, heading, text, start_offset, end_offset)
          values ${rows(positions.map((position) => [workspaceId, documentId, position, '', chunkText(position), 0, 0]))}`,
      sql`insert into vectors (workspace_id, kind, scope_id, item_id, model, vector)
          values ${rows(positions.map((position) => [workspaceId, 'chunk', documentId, String(position), LOCAL_MODEL_WITH_TOKENS, quantize(vector(random))]))}`,
    ]);
  }
}

function vector(random: () => number): Float32Array {
  const values = Float32Array.from({ length: LOCAL_DIMENSIONS }, () => random() - 0.5);
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
}
