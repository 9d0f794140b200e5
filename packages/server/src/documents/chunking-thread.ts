/** Cuts one large document, away from the event loop. */
import { parentPort, workerData } from 'node:worker_threads';
import { type ChunkingStrategy, chunksOf } from './chunking.ts';

const { text, strategy } = workerData as { text: string; strategy: ChunkingStrategy };
parentPort?.postMessage(chunksOf(text, strategy));
