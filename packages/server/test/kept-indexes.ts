/** Nodes that keep their indexes, on one database, for tests. */
import type { Where } from '@commonplace/contract/where';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { Database } from '../src/db/database.ts';
import { sql } from '../src/db/sql.ts';
import { chunksSource } from '../src/documents/search.ts';
import { keptMemories } from '../src/memories/search.ts';
import { keptMessages, rankMessages } from '../src/messages/search.ts';
import type { Embedder } from '../src/search/embedding/embedder.ts';
import { quantize } from '../src/search/embedding/quantize.ts';
import { type IndexOptions, SearchIndexes } from '../src/search/indexes.ts';
import { Searcher } from '../src/search/searcher.ts';
import { Snapshots } from '../src/search/segments/snapshots.ts';
import type { KeptSources } from '../src/search/segments/store.ts';
import { upsertVectors } from '../src/search/vectors.ts';
import type { SessionsScope } from '../src/sessions/search.ts';
import { made, type TestApi, type TestSession } from './api.ts';

export const log = pino({ level: 'silent' });
export const MODEL = 'letters';
export const LEAST = 20;

/** Vectors of letters. */
export function vectorOf(text: string): Float32Array {
  const vector = new Float32Array(64).fill(0.01);
  for (const character of text) (vector[character.charCodeAt(0) % 64] as number) += 1;
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

export const embedder: Embedder = {
  model: MODEL,
  dimensions: 64,
  capacity: { texts: 8, calls: 1, isLocal: true },
  embed: async (texts) => texts.map(vectorOf),
  ready: async () => {},
  gauges: () => ({}),
  close: async () => {},
};

/** A node: an index of its own, on the database of all. */
export function newNode(api: TestApi, model = MODEL, options: IndexOptions = {}) {
  const indexes = new SearchIndexes(log, { threads: 2, ...options });
  const snapshots = new Snapshots(api.db, indexes, api.clock, log, { leastItems: LEAST, saveAgainMs: 0 });
  const searcher = new Searcher({ ...embedder, model }, indexes, log, snapshots);
  onTestFinished(() => searcher.close());
  return {
    snapshots,
    searcher,
    find: async (scope: SessionsScope, query: string, where: Where = {}) => {
      const found = await rankMessages(api.db, searcher, scope, { query, limit: 100, where });
      await snapshots.settled();
      return found;
    },
  };
}

export const wordOf = (n: number) => `w${n}${'abcdefgh'[n % 8]}`;

export async function write(session: TestSession, numbers: readonly number[]): Promise<string[]> {
  const messages = numbers.map((n) => ({ role: 'user', content: `Ann: the word ${wordOf(n)} of all` }));
  return made(await session.runtime.post(`${session.url}/messages/batch`, { messages })).messages.map(({ id }: { id: string }) => id);
}

/** As the background would. */
export async function embedAll(api: TestApi, session: TestSession, model = MODEL): Promise<void> {
  const { id: scopeId } = session;
  const workspaceId = session.agent.workspace.id;
  const messages = await api.db.query(sql<{ id: string; content: string }>`
    select id, content from messages where workspace_id = ${workspaceId} and session_id = ${scopeId}`);
  const vectors = messages.map(({ id, content }) => ({ itemId: id, vector: quantize(vectorOf(content)) }));
  await api.db.run(upsertVectors({ workspaceId, kind: 'message', scopeId }, vectors, model));
}

export const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
export const scopeOf = (session: TestSession) => ({ workspaceId: session.agent.workspace.id, sessionId: session.id });
export const agentScope = (session: TestSession) => ({ workspaceId: session.agent.workspace.id, agentId: session.agent.id });

export const savedTotal = ({ snapshots }: { snapshots: Snapshots }) => snapshots.gauges().snapshots_saved_total;
export const loadedTotal = ({ snapshots }: { snapshots: Snapshots }) => snapshots.gauges().snapshots_loaded_total;

/** Whether a text stands anywhere in what is stored of the indexes of a workspace. */
export async function isStored(api: TestApi, workspaceId: string, text: string): Promise<boolean> {
  const pages = await api.db.query(sql<{ bytes: Uint8Array }>`select bytes from search_pages where workspace_id = ${workspaceId}`);
  return pages.some(({ bytes }) => Buffer.from(bytes).includes(text));
}

export async function runJob(
  handler: { run(job: never, signal: AbortSignal): Promise<void>; close?: (() => Promise<void>) | undefined },
  job = {},
) {
  await handler.run(job as never, new AbortController().signal);
  await handler.close?.();
}

/** As the service makes them. */
export const keptSources = (db: Database): KeptSources => ({
  message: (facts) => keptMessages(db, facts),
  memory: (facts) => keptMemories(db, facts),
  chunk: ({ workspaceId, model }) => chunksSource(db, workspaceId, model),
});
