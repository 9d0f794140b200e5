/** Indexing in the background: cut, embed, store, and say how far it is. */
import { type Clock, timestamp } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { acrossWorkspaces } from '../db/each-workspace.ts';
import { every, JobCancelled, type JobHandler, JobUnfinished } from '../jobs/job-handler.ts';
import type { Log } from '../logging.ts';
import { type EmbeddedText, embedTexts, RefusedText } from '../search/embedding/embedder.ts';
import { switchModelUnlessCurrent } from '../search/model-switch.ts';
import { type Searcher, textToEmbed } from '../search/searcher.ts';
import { storedVector } from '../search/vectors.ts';
import { moduleBeside } from '../threads/thread-file.ts';
import { ThreadPool } from '../threads/thread-pool.ts';
import {
  type CutText,
  chunksToEmbed,
  type DocumentToIndex,
  type EmbeddedChunks,
  findDocumentToIndex,
  findRefusals,
  findWithoutVectors,
  markEmbeddedAnew,
  markIndexed,
  replaceChunks,
  storeChunkVectors,
  workspacesWithDocuments,
} from './chunk-store.ts';
import { type Chunk, type ChunkingStrategy, chunksOf } from './chunking.ts';
import { chunkPrefix, chunksSource } from './search.ts';
import { DOCUMENTS_IN_PROCESSING, findStalledDocuments } from './stalled-store.ts';
import { enqueueIndexing, noteFailure, requireContent } from './store.ts';

/** Enough to keep both threads of the model busy; an endpoint may take more. */
export const EMBEDDED_AT_ONCE = 64;
const CALLS_IN_A_SLICE = 2;
/** Then others have their turn: a second or two of the model inside the process, or about as long of an endpoint. */
export const CHUNKS_IN_A_SLICE = CALLS_IN_A_SLICE * EMBEDDED_AT_ONCE;
/** Cutting more than this on the main thread would be felt by requests. */
const CUT_ELSEWHERE_FROM = 64 * 1024;
const MAX_ATTEMPTS = 6;
const FORSAKEN_AFTER_MS = 10 * 60 * 1000;

type ChunkingThreads = ThreadPool<typeof import('./chunking.ts')>;

/** What no second try can mend. */
class Unindexable extends Error {}

export function indexDocument(db: Database, searcher: Searcher, clock: Clock, log: Log): JobHandler {
  const chunking: ChunkingThreads = new ThreadPool({
    name: 'document-chunking',
    module: moduleBeside(import.meta.url, 'chunking'),
    log,
    warnAfterMs: 5_000,
  });
  return {
    maxAttempts: MAX_ATTEMPTS,
    leaseMs: 60_000,
    concurrency: 2,
    close: () => chunking.close(),
    run: async (job, signal) => {
      if (job.workspaceId === null) return;
      const { documentId } = job.payload as { documentId: string };
      const document = await findDocumentToIndex(db, { workspaceId: job.workspaceId, documentId });
      if (!document) throw new JobCancelled('The document is gone');
      try {
        if (document.status !== 'indexed') await index(db, searcher, clock, chunking, document, signal);
      } catch (error) {
        if (signal.aborted || error instanceof JobCancelled || error instanceof JobUnfinished) throw error;
        const attempts = job.attempts + 1;
        const isFinal = error instanceof Unindexable || attempts >= MAX_ATTEMPTS;
        const message = error instanceof Error ? error.message : String(error);
        // The failure of what was replaced since says nothing of its replacement, and must not hold it up.
        await unlessGone(noteFailure(db, document, { error: message, attempts, isFinal }, clock.nowMs()));
        if (!isFinal) throw error;
        return;
      }
      await switchModelUnlessCurrent(db, searcher.embedder.model, clock.nowMs());
    },
  };
}

/** No document is left in processing: one whose job is gone is tried again, and one whose job was given up (its process was killed too often, say) failed. */
export function rescueDocuments(db: Database, clock: Clock, log: Log): JobHandler {
  const rescue = async (workspaceId?: string) => {
    for (const { reason, ...document } of await findStalledDocuments(db, timestamp(clock.nowMs() - FORSAKEN_AFTER_MS), workspaceId)) {
      if (reason === null) await db.run(enqueueIndexing(document, clock.nowMs()));
      else await noteFailure(db, document, { error: reason, attempts: MAX_ATTEMPTS, isFinal: true }, clock.nowMs());
    }
  };
  return every(60_000, (_job, signal) => acrossWorkspaces(db, [DOCUMENTS_IN_PROCESSING], rescue, log, signal));
}

async function index(
  db: Database,
  searcher: Searcher,
  clock: Clock,
  chunking: ChunkingThreads,
  document: DocumentToIndex,
  signal: AbortSignal,
): Promise<void> {
  const chunksTotal = document.isCut ? document.chunksTotal : await cutDocument(db, clock, chunking, document);
  const { workspaceId, documentId, title, revision } = document;
  const text: CutText = { workspaceId, textId: documentId, table: 'documents', title, chunksTotal, revision };
  if (!(await embedSome(db, searcher, clock, text, signal))) throw new JobUnfinished();
  await unlessGone(markIndexed(db, document, await findWarning(db, text, searcher.embedder.model), clock.nowMs()));
  searcher.warming.note(chunksSource(db, workspaceId, searcher.embedder.model));
}

/** Once for all slices. How many chunks there are. */
async function cutDocument(db: Database, clock: Clock, chunking: ChunkingThreads, document: DocumentToIndex): Promise<number> {
  const text = new TextDecoder().decode(await requireContent(db, document));
  const chunks = await cut(chunking, text, document.chunkingStrategy);
  if (chunks.length === 0) throw new Unindexable('The file is empty: there is no text to index');
  // The content may be that of a later upload; then this revision of the document is no more.
  await unlessGone(replaceChunks(db, document, chunks, clock.nowMs()));
  return chunks.length;
}

/** A slice of the chunks that have no vector of the model yet; whether it was the last. What was stored is never done again. */
async function embedSome(db: Database, searcher: Searcher, clock: Clock, text: CutText, signal: AbortSignal): Promise<boolean> {
  const { embedder } = searcher;
  const atOnce = Math.max(EMBEDDED_AT_ONCE, embedder.capacity.texts);
  const chunks = await chunksToEmbed(db, text, embedder.model, CALLS_IN_A_SLICE * atOnce);
  const left = chunks[0]?.left ?? 0;
  const embed = async (start: number): Promise<EmbeddedChunks> => {
    const some = chunks.slice(start, start + atOnce);
    const texts = some.map((chunk) =>
      textToEmbed({ prefix: chunkPrefix({ title: text.title, heading: chunk.heading }), text: chunk.text }),
    );
    const made = await embedTexts(embedder, texts, { priority: 'background', lane: text.workspaceId, signal });
    const settled = some.map(({ position }, at) => ({ itemId: String(position), made: made[at] as EmbeddedText | RefusedText }));
    return {
      vectors: settled.flatMap(({ itemId, made }) => (made instanceof RefusedText ? [] : [{ itemId, ...storedVector(made) }])),
      refused: settled.flatMap(({ itemId, made }) => (made instanceof RefusedText ? [{ itemId, reason: made.reason }] : [])),
    };
  };
  if (chunks.length === 0) return true;
  // The next ones are under way while some are stored, so that no thread of the model waits for the other, or for the database.
  let next = embed(0);
  for (let start = 0; start < chunks.length; start += atOnce) {
    signal.throwIfAborted();
    const current = next;
    const end = Math.min(start + atOnce, chunks.length);
    if (end < chunks.length) next = embed(end);
    // Whoever waits for it hears of it.
    next.catch(() => undefined);
    const embedded = await current;
    await unlessGone(storeChunkVectors(db, text, embedded, embedder.model, text.chunksTotal - left + end, clock.nowMs()));
  }
  return left <= chunks.length;
}

/** The document is found all the same, and its error says what of it is not found by its meaning. */
async function findWarning(db: Database, text: CutText, model: string): Promise<string | null> {
  const { count, reason } = await findRefusals(db, text, model);
  return count === 0 ? null : `${count} of ${text.chunksTotal} chunks are found by their words alone: ${reason}`;
}

/**
 * For a new model: the chunks of every text that is found and has no vectors of it, a slice of each workspace in turn. The texts
 * stay found by their words meanwhile.
 */
export function embedDocumentsAnew(db: Database, searcher: Searcher, clock: Clock) {
  return async (signal: AbortSignal): Promise<void> => {
    const { model } = searcher.embedder;
    /** Where each workspace has come to; those that are done are not looked at again. */
    const reached = new Map<string, string>();
    const done = new Set<string>();
    for (let isAnyLeft = true; isAnyLeft; ) {
      isAnyLeft = false;
      let workspaceIds: string[] = [];
      do {
        workspaceIds = await workspacesWithDocuments(db, workspaceIds.at(-1));
        for (const workspaceId of workspaceIds) {
          if (done.has(workspaceId)) continue;
          signal.throwIfAborted();
          const text = await findWithoutVectors(db, workspaceId, model, reached.get(workspaceId));
          if (!text) done.add(workspaceId);
          else {
            isAnyLeft = true;
            if (text.table === 'documents') reached.set(workspaceId, text.textId);
            await embedSomeAnew(db, searcher, clock, text, signal);
          }
        }
      } while (workspaceIds.length > 0);
    }
  };
}

async function embedSomeAnew(db: Database, searcher: Searcher, clock: Clock, text: CutText, signal: AbortSignal): Promise<void> {
  try {
    if (!(await embedSome(db, searcher, clock, text, signal))) return;
    await markEmbeddedAnew(db, text, await findWarning(db, text, searcher.embedder.model));
  } catch (error) {
    if (!(error instanceof JobCancelled)) throw error;
  }
}

async function unlessGone(written: Promise<boolean>): Promise<void> {
  if (!(await written)) throw new JobCancelled('The document is gone, or was begun anew');
}

async function cut(chunking: ChunkingThreads, text: string, strategy: ChunkingStrategy): Promise<Chunk[]> {
  return text.length < CUT_ELSEWHERE_FROM ? chunksOf(text, strategy) : chunking.run('chunksOf', text, strategy);
}
