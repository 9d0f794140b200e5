/** Indexing in the background: cut, embed, store, and say how far it is. */
import { type Clock, timestamp } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { every, JobCancelled, type JobHandler } from '../jobs/job-runner.ts';
import type { Log } from '../logging.ts';
import { quantize } from '../search/embedding/quantize.ts';
import { switchModelUnlessCurrent } from '../search/model-switch.ts';
import { type Searcher, textToEmbed } from '../search/searcher.ts';
import { moduleBeside } from '../threads/thread-file.ts';
import { ThreadPool } from '../threads/thread-pool.ts';
import { type Chunk, type ChunkingStrategy, chunksOf } from './chunking.ts';
import { chunkPrefix } from './search.ts';
import {
  chunksOfDocument,
  type DocumentPlace,
  enqueueIndexing,
  findDocument,
  findStalledDocuments,
  findWithoutVectors,
  markEmbeddedAnew,
  markIndexed,
  noteFailure,
  replaceChunks,
  requireContent,
  storeChunkVectors,
} from './store.ts';

/** Enough to keep both threads of the model busy. */
export const EMBEDDED_AT_ONCE = 64;
/** Cutting more than this on the main thread would be felt by requests. */
const CUT_ELSEWHERE_FROM = 64 * 1024;
const MAX_ATTEMPTS = 6;
const FORSAKEN_AFTER_MS = 10 * 60 * 1000;

type ChunkingThreads = ThreadPool<typeof import('./chunking.ts')>;

/** What no second try can mend. */
class Unindexable extends Error {}

export function indexDocument(db: Database, searcher: Searcher, clock: Clock, log: Log): JobHandler {
  const chunking: ChunkingThreads = new ThreadPool({ name: 'document-chunking', module: moduleBeside(import.meta.url, 'chunking'), log });
  return {
    maxAttempts: MAX_ATTEMPTS,
    leaseMs: 60_000,
    concurrency: 2,
    run: async (job, signal) => {
      if (job.workspaceId === null) return;
      const place = { workspaceId: job.workspaceId, documentId: (job.payload as { documentId: string }).documentId };
      try {
        await index(db, searcher, clock, chunking, place, signal);
      } catch (error) {
        if (signal.aborted || error instanceof JobCancelled) throw error;
        const isFinal = error instanceof Unindexable || job.attempts + 1 >= MAX_ATTEMPTS;
        await noteFailure(db, place, error instanceof Error ? error.message : String(error), isFinal, clock.nowMs());
        if (!isFinal) throw error;
      }
    },
  };
}

/** No document is left in processing: one whose job is gone is tried again, and one whose job was given up (its process was killed too often, say) failed. */
export function rescueDocuments(db: Database, clock: Clock): JobHandler {
  return every(60_000, async () => {
    for (const { reason, ...place } of await findStalledDocuments(db, timestamp(clock.nowMs() - FORSAKEN_AFTER_MS))) {
      if (reason === null) await db.run(enqueueIndexing(place, clock.nowMs()));
      else await noteFailure(db, place, reason, true, clock.nowMs());
    }
  });
}

async function index(
  db: Database,
  searcher: Searcher,
  clock: Clock,
  chunking: ChunkingThreads,
  place: DocumentPlace,
  signal: AbortSignal,
): Promise<void> {
  const document = await findDocument(db, place);
  if (!document) throw new JobCancelled('The document is gone');
  const text = new TextDecoder().decode(await requireContent(db, place));
  const chunks = await cut(chunking, text, document.chunkingStrategy);
  if (chunks.length === 0) throw new Unindexable('The file is empty: there is no text to index');
  await unlessGone(replaceChunks(db, place, chunks, clock.nowMs()));
  await embedChunks(db, searcher, clock, place, document.title, chunks, signal);
  await unlessGone(markIndexed(db, place, clock.nowMs()));
  await switchModelUnlessCurrent(db, searcher.embedder.model, clock.nowMs());
}

async function embedChunks(
  db: Database,
  searcher: Searcher,
  clock: Clock,
  place: DocumentPlace,
  title: string,
  chunks: readonly Pick<Chunk, 'position' | 'heading' | 'text'>[],
  signal: AbortSignal,
): Promise<void> {
  const embed = async (start: number) => {
    const some = chunks.slice(start, start + EMBEDDED_AT_ONCE);
    const texts = some.map(({ heading, text }) => textToEmbed({ prefix: chunkPrefix({ title, heading }), text }));
    const vectors = await searcher.embedder.embed(texts, { priority: 'background', signal });
    return some.map(({ position }, at) => ({ itemId: String(position), vector: quantize(vectors[at] as Float32Array) }));
  };
  // The next ones are under way while some are stored, so that no thread of the model waits for the other, or for the database.
  let next = embed(0);
  for (let start = 0; start < chunks.length; start += EMBEDDED_AT_ONCE) {
    signal.throwIfAborted();
    const current = next;
    if (start + EMBEDDED_AT_ONCE < chunks.length) next = embed(start + EMBEDDED_AT_ONCE);
    // Whoever waits for it hears of it.
    next.catch(() => undefined);
    const made = await current;
    await unlessGone(storeChunkVectors(db, place, made, searcher.embedder.model, start + made.length, clock.nowMs()));
  }
}

/** For a new model: the chunks of every indexed document that has no vectors of it. The document stays found by its words meanwhile. */
export function embedDocumentsAnew(db: Database, searcher: Searcher, clock: Clock) {
  return async (model: string, signal: AbortSignal): Promise<void> => {
    for (;;) {
      const documents = await findWithoutVectors(db, model);
      if (documents.length === 0) return;
      for (const { title, ...place } of documents) {
        await embedChunks(db, searcher, clock, place, title, await chunksOfDocument(db, place), signal).catch((error) => {
          if (!(error instanceof JobCancelled)) throw error;
        });
        await markEmbeddedAnew(db, place);
      }
    }
  };
}

async function unlessGone(written: Promise<boolean>): Promise<void> {
  if (!(await written)) throw new JobCancelled('The document is gone');
}

async function cut(chunking: ChunkingThreads, text: string, strategy: ChunkingStrategy): Promise<Chunk[]> {
  return text.length < CUT_ELSEWHERE_FROM ? chunksOf(text, strategy) : chunking.run('chunksOf', text, strategy);
}
