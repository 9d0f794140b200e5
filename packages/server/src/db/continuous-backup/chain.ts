/** How far the log has been cut into segments: kept beside the database, so that the next start goes on where this one ended. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { holds, readWalHeader, startOf, type WalHeader, type WalPosition, withWal } from './wal.ts';

/** One unbroken row of segments, from a snapshot on. */
export interface Chain {
  readonly generation: string;
  /** The number of the last segment; 0 before the first. */
  readonly segment: number;
  /** Checksum of the last segment, which the next one repeats. */
  readonly sha256: string;
  /** Undefined where the log was empty; `restingFile` then says what the database was. */
  readonly position: WalPosition | undefined;
  /** All of the log up to the position is in the database file, so that the log may start over. */
  readonly isCheckpointed: boolean;
  /** The database file when it held everything that was cut. */
  readonly restingFile?: FileStamp | undefined;
}

/** What changes with every write to a file. */
export interface FileStamp {
  readonly sizeBytes: number;
  readonly modifiedNs: string;
  readonly changedNs: string;
}

const STATE_FILE = 'state.json';

export interface SavedState {
  readonly target: string;
  readonly chain: Chain | undefined;
}

export function loadState(folder: string): SavedState | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, STATE_FILE), 'utf8')) as SavedState;
  } catch {
    // Missing, or torn by a loss of power: a new generation begins.
    return undefined;
  }
}

/** Synced only where the log may be gone afterwards; a kill alone loses nothing that was written. */
export function saveState(folder: string, state: SavedState, options: { readonly sync: boolean }): void {
  const file = join(folder, STATE_FILE);
  writeFileSync(`${file}.tmp`, JSON.stringify(state), { mode: 0o600, flush: options.sync });
  renameSync(`${file}.tmp`, file);
  if (options.sync) syncFolder(folder);
}

/** For a run without a backup: what it writes would be missing from the chain, and not always noticed. */
export function forgetState(folder: string): void {
  rmSync(join(folder, STATE_FILE), { force: true });
}

export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

export function stampOf(file: string): FileStamp {
  const { size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
  return { sizeBytes: Number(size), modifiedNs: String(mtimeNs), changedNs: String(ctimeNs) };
}

/** Where the next frames begin: at a position, nowhere yet, or somewhere that leaves frames out. */
export function findContinuation(chain: Chain, header: WalHeader | undefined, databaseFile: string): WalPosition | 'nothing' | 'gap' {
  const { position } = chain;
  if (!header) return position === undefined || chain.isCheckpointed ? 'nothing' : 'gap';
  // A log that has been checkpointed since it was made has a number above 0.
  if (position === undefined) return header.checkpointSequence === 0 ? startOf(header) : 'gap';
  if (header.salt1 === position.salt1) return header.salt2 === position.salt2 ? position : 'gap';
  // SQLite adds one to the first salt whenever the log starts over. What was added and folded before that has changed the file.
  const isNextRound = header.salt1 === (position.salt1 + 1) >>> 0;
  return chain.isCheckpointed && isNextRound && isAsLeft(chain, databaseFile) ? startOf(header) : 'gap';
}

/** Whether what was cut before the process ended is still all there was. Nothing may have been written since the folder was locked. */
export function canResume(chain: Chain, databaseFile: string): boolean {
  return withWal(databaseFile, (wal) => {
    const header = wal === undefined ? undefined : readWalHeader(wal);
    const { position } = chain;
    if (position === undefined || wal === undefined || !header) {
      return position === undefined && isAsLeft(chain, databaseFile) && findContinuation(chain, header, databaseFile) !== 'gap';
    }
    const next = findContinuation(chain, header, databaseFile);
    return typeof next === 'object' && (next !== position || holds(wal, header, next));
  });
}

function isAsLeft({ restingFile }: Chain, databaseFile: string): boolean {
  return restingFile !== undefined && isSame(restingFile, stampOf(databaseFile));
}

function isSame(one: FileStamp, other: FileStamp): boolean {
  return one.sizeBytes === other.sizeBytes && one.modifiedNs === other.modifiedNs && one.changedNs === other.changedNs;
}
