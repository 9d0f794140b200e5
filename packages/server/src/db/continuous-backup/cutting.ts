/** Cuts what was committed to the log since the last time into segments. */
import { type Chain, findContinuation, saveState } from './chain.ts';
import { encodeObject } from './objects.ts';
import { spoolSegment } from './spool.ts';
import {
  findLastCommit,
  frameBytes,
  frameHeaderAt,
  type LastCommit,
  readFully,
  readWalHeader,
  type WalHeader,
  type WalPosition,
  withWal,
} from './wal.ts';

/** How often a time is looked for at which nothing was committed; beyond that the time is after all that is cut. */
const MOST_LOOKS = 20;
/** A larger transaction goes into several segments, so that memory stays bounded. */
const MAX_BYTES_OF_SEGMENT = 8 * 1024 * 1024;

export interface CutPlace {
  readonly databaseFile: string;
  /** Where the segments wait. */
  readonly spoolFolder: string;
  /** The target that they are for. */
  readonly target: string;
}

export interface SegmentHeader {
  readonly kind: 'segment';
  readonly generation: string;
  readonly segment: number;
  /** The checksum of the segment before. */
  readonly previous: string;
  readonly atMs: number;
  readonly pageSize: number;
  readonly frames: number;
  /** The size of the database after the commit at the end; 0 where the transaction goes on in the next segment. */
  readonly pagesAfterCommit: number;
}

export interface CutOptions {
  readonly now: () => number;
  /** More frames are left for another time. */
  readonly maxFrames?: number;
  /** On disk when this returns. */
  readonly sync: boolean;
}

export type CutResult =
  | {
      readonly kind: 'cut';
      readonly chain: Chain;
      /** When the end of the chain was all that was committed. */
      readonly atMs: number;
      readonly isLimited: boolean;
      readonly spooledBytes: number;
    }
  /** Frames are missing: somebody else made the log start over. */
  | { readonly kind: 'gap' };

export function cutSegments(place: CutPlace, chain: Chain, { now, maxFrames = Number.POSITIVE_INFINITY, sync }: CutOptions): CutResult {
  const beforeMs = now();
  return withWal(place.databaseFile, (wal) => {
    const header = wal === undefined ? undefined : readWalHeader(wal);
    const from = findContinuation(chain, header, place.databaseFile);
    if (from === 'gap') return { kind: 'gap' };
    if (from === 'nothing' || wal === undefined || !header)
      return { kind: 'cut', chain, atMs: beforeMs, isLimited: false, spooledBytes: 0 };
    const first = findLastCommit(wal, header, from, maxFrames);
    if (first.position.offset === from.offset) return { kind: 'cut', chain, atMs: beforeMs, isLimited: first.isLimited, spooledBytes: 0 };
    const { position: until, isLimited, atMs } = findQuietMoment(wal, header, first, now);
    let cut = chain;
    let spooledBytes = 0;
    for (let start = from; start.offset < until.offset; start = cut.position as WalPosition) {
      const next = cutOne(place, cut, wal, header, start, until, atMs, sync);
      if (!next) return { kind: 'gap' };
      cut = next.chain;
      spooledBytes += next.sizeBytes;
      // One by one: where the next one fails, this one counts.
      saveState(place.spoolFolder, { target: place.target, chain: cut }, { sync });
    }
    return { kind: 'cut', chain: cut, atMs, isLimited, spooledBytes };
  });
}

/**
 * The last commit and a time at which it was the last, also where others write meanwhile: nothing was committed between the look before
 * that time and the one after it.
 */
function findQuietMoment(wal: number, header: WalHeader, first: LastCommit, now: () => number): LastCommit & { readonly atMs: number } {
  let found = first;
  for (let looks = 1; ; looks++) {
    const atMs = now();
    if (found.isLimited || looks === MOST_LOOKS) return { ...found, atMs };
    const again = findLastCommit(wal, header, found.position, Number.POSITIVE_INFINITY);
    if (again.position.offset === found.position.offset) return { ...found, atMs };
    found = again;
  }
}

/** Undefined where the log started over while it was read. */
function cutOne(
  { spoolFolder }: CutPlace,
  chain: Chain,
  wal: number,
  { pageSize, salt1, salt2 }: WalHeader,
  from: WalPosition,
  until: WalPosition,
  atMs: number,
  sync: boolean,
): { readonly chain: Chain; readonly sizeBytes: number } | undefined {
  const size = frameBytes(pageSize);
  const frames = Math.min(Math.floor(MAX_BYTES_OF_SEGMENT / size), (until.offset - from.offset) / size);
  const payload = Buffer.alloc(frames * size);
  if (readFully(wal, payload, from.offset) < payload.length) throw new Error('The write-ahead log became shorter while it was read');
  const after = readWalHeader(wal);
  if (after?.salt1 !== salt1 || after.salt2 !== salt2) return undefined;
  const last = frameHeaderAt(payload, payload.length - size);
  const { generation } = chain;
  const segment = chain.segment + 1;
  const { pagesAfterCommit, checksum } = last;
  const header = { kind: 'segment', generation, segment, previous: chain.sha256, atMs, pageSize, frames, pagesAfterCommit } as const;
  const { bytes, sha256 } = encodeObject(header satisfies SegmentHeader, payload);
  spoolSegment(spoolFolder, generation, { segment, atMs, isWhole: pagesAfterCommit > 0 }, bytes, { sync });
  const position = { salt1, salt2, offset: from.offset + payload.length, checksum };
  return { chain: { generation, segment, sha256, position, isCheckpointed: false }, sizeBytes: bytes.length };
}
