/** The writer's part: it alone folds the log into the database file, and only what has been cut. */
import type { DatabaseSync } from 'node:sqlite';
import { BUSY_TIMEOUT_MS } from '../sqlite/connection.ts';
import { type Chain, saveState, stampOf } from './chain.ts';
import { type CutPlace, cutSegments } from './cutting.ts';
import { frameBytes, positionAfter, readWalHeader, WAL_HEADER_BYTES, withWal } from './wal.ts';

/** Writes wait meanwhile; what is more than this is left to the thread of the backup. */
const MAX_FRAMES_WHILE_WRITES_WAIT = 1024;

export interface CheckpointReply {
  /** Undefined where frames are missing. */
  readonly chain: Chain | undefined;
  /** Everything up to the chain's position is in the database file. */
  readonly isComplete: boolean;
  /** Of the segments that were cut. */
  readonly spooledBytes?: number;
  /** The log is empty. */
  readonly isErased?: boolean;
}

/** Between two transactions of the only writer, so that nothing is added to the log between the cut and the checkpoint. */
export function checkpointCut(db: DatabaseSync, place: CutPlace, chain: Chain, now: () => number, erases = false): CheckpointReply {
  const result = cutSegments(place, chain, { now, maxFrames: MAX_FRAMES_WHILE_WRITES_WAIT, sync: true });
  if (result.kind === 'gap') return { chain: undefined, isComplete: false };
  const { spooledBytes } = result;
  if (result.isLimited) return { chain: result.chain, isComplete: false, spooledBytes };
  const done = checkpoint(db);
  // Frames that were not cut are those of somebody else who writes.
  const isComplete = done.isComplete && done.frames === framesBefore(place, result.chain);
  const isErased = erases && isComplete && emptyLog(db);
  const after = { ...result.chain, isCheckpointed: isComplete, restingFile: isComplete ? stampOf(place.databaseFile) : undefined };
  saveState(place.spoolFolder, { target: place.target, chain: after }, { sync: isComplete });
  return { chain: after, isComplete, spooledBytes, isErased };
}

/** A generation begins where all of the log is in the file. Where a reader is in the way, the next try may do. */
export function beginGeneration(db: DatabaseSync, place: CutPlace, generation: string): CheckpointReply {
  const { isComplete, frames } = checkpoint(db);
  if (!isComplete) return { chain: undefined, isComplete };
  return withWal(place.databaseFile, (wal) => {
    const header = wal === undefined || frames === 0 ? undefined : readWalHeader(wal);
    const position = wal === undefined || !header ? undefined : positionAfter(wal, header, frames);
    if (header && !position) return { chain: undefined, isComplete: false };
    const restingFile = stampOf(place.databaseFile);
    const chain = { generation, segment: 0, sha256: '', position, isCheckpointed: true, restingFile };
    saveState(place.spoolFolder, { target: place.target, chain }, { sync: true });
    return { chain, isComplete };
  });
}

function framesBefore({ databaseFile }: CutPlace, { position }: Chain): number {
  if (!position) return 0;
  return withWal(databaseFile, (wal) => {
    const header = wal === undefined ? undefined : readWalHeader(wal);
    return header ? (position.offset - WAL_HEADER_BYTES) / frameBytes(header.pageSize) : 0;
  });
}

/** As SQLite does by itself where there is no backup: without waiting for readers. */
export function checkpoint(db: DatabaseSync): { readonly isComplete: boolean; readonly frames: number } {
  const { busy, log, checkpointed } = db.prepare('pragma wal_checkpoint(passive)').get() as Record<string, number>;
  return { isComplete: busy === 0 && log === checkpointed, frames: Math.max(0, log ?? 0) };
}

/** Where readers leave it now: writes would wait for them. All of it is in the file already. */
export function emptyLog(db: DatabaseSync): boolean {
  db.exec('pragma busy_timeout = 0');
  try {
    const { busy } = db.prepare('pragma wal_checkpoint(truncate)').get() as Record<string, number>;
    return busy === 0;
  } finally {
    db.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

/** Cuts the rest and closes; the next start may go on from there if nobody wrote in between. */
export function closeCut(db: DatabaseSync, place: CutPlace, chain: Chain, now: () => number): void {
  const result = cutSegments(place, chain, { now, sync: true });
  db.exec('pragma wal_checkpoint(truncate)');
  db.close();
  if (result.kind === 'gap') return;
  // Where somebody else still reads, the log stays and says for itself how far it goes.
  const isLogGone = withWal(place.databaseFile, (wal) => wal === undefined || !readWalHeader(wal));
  if (!isLogGone) return;
  const atRest = { position: undefined, isCheckpointed: true, restingFile: stampOf(place.databaseFile) };
  saveState(place.spoolFolder, { target: place.target, chain: { ...result.chain, ...atRest } }, { sync: true });
}
