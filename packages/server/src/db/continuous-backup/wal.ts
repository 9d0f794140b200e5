/** SQLite's write-ahead log as a file: its header, its frames, and which of them are committed. */
import { closeSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';

export const WAL_HEADER_BYTES = 32;
export const FRAME_HEADER_BYTES = 24;
const CHECKED_BYTES_OF_HEADER = 24;
const CHECKED_BYTES_OF_FRAME_HEADER = 8;
/** The last bit says whether checksums are over big-endian words. */
const MAGIC = 0x377f0682;
const SCAN_FRAMES = 256;

export type Checksum = readonly [number, number];

export interface WalHeader {
  readonly isBigEndian: boolean;
  readonly pageSize: number;
  readonly checkpointSequence: number;
  readonly salt1: number;
  readonly salt2: number;
  readonly checksum: Checksum;
}

/** A place between two frames. The checksum is over everything before it, so that it also tells what came before. */
export interface WalPosition {
  readonly salt1: number;
  readonly salt2: number;
  readonly offset: number;
  readonly checksum: Checksum;
}

/** Nothing but the log may be opened so: closing any descriptor of the database file would drop SQLite's locks on it. */
export function openWal(databaseFile: string): number | undefined {
  try {
    return openSync(`${databaseFile}-wal`, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export function withWal<T>(databaseFile: string, work: (wal: number | undefined) => T): T {
  const wal = openWal(databaseFile);
  try {
    return work(wal);
  } finally {
    if (wal !== undefined) closeSync(wal);
  }
}

/** Undefined where there is no whole header. */
export function readWalHeader(wal: number): WalHeader | undefined {
  const bytes = Buffer.alloc(WAL_HEADER_BYTES);
  if (readFully(wal, bytes, 0) < WAL_HEADER_BYTES) return undefined;
  const magic = bytes.readUInt32BE(0);
  if ((magic & ~1) >>> 0 !== MAGIC) return undefined;
  const isBigEndian = (magic & 1) === 1;
  const checksum = addToChecksum([0, 0], bytes.subarray(0, CHECKED_BYTES_OF_HEADER), isBigEndian);
  if (checksum[0] !== bytes.readUInt32BE(24) || checksum[1] !== bytes.readUInt32BE(28)) return undefined;
  return {
    isBigEndian,
    pageSize: bytes.readUInt32BE(8),
    checkpointSequence: bytes.readUInt32BE(12),
    salt1: bytes.readUInt32BE(16),
    salt2: bytes.readUInt32BE(20),
    checksum,
  };
}

export function frameBytes(pageSize: number): number {
  return FRAME_HEADER_BYTES + pageSize;
}

/** Before the first frame. */
export function startOf({ salt1, salt2, checksum }: WalHeader): WalPosition {
  return { salt1, salt2, offset: WAL_HEADER_BYTES, checksum };
}

/** After this many frames that SQLite counts itself. */
export function positionAfter(wal: number, header: WalHeader, frames: number): WalPosition | undefined {
  if (frames === 0) return startOf(header);
  const offset = WAL_HEADER_BYTES + frames * frameBytes(header.pageSize);
  const frame = readFrameHeader(wal, offset - frameBytes(header.pageSize));
  if (frame?.salt1 !== header.salt1 || frame.salt2 !== header.salt2) return undefined;
  return { salt1: header.salt1, salt2: header.salt2, offset, checksum: frame.checksum };
}

/** Whether the log holds, up to this position, what it held when the position was noted. */
export function holds(wal: number, header: WalHeader, position: WalPosition): boolean {
  if (header.salt1 !== position.salt1 || header.salt2 !== position.salt2) return false;
  const frames = (position.offset - WAL_HEADER_BYTES) / frameBytes(header.pageSize);
  const found = positionAfter(wal, header, frames);
  return found !== undefined && found.checksum[0] === position.checksum[0] && found.checksum[1] === position.checksum[1];
}

interface FrameHeader {
  readonly page: number;
  /** The size of the database in pages after the commit that this frame ends; 0 for a frame in the middle of a transaction. */
  readonly pagesAfterCommit: number;
  readonly salt1: number;
  readonly salt2: number;
  readonly checksum: Checksum;
}

export function frameHeaderAt(bytes: Buffer, offset: number): FrameHeader {
  return {
    page: bytes.readUInt32BE(offset),
    pagesAfterCommit: bytes.readUInt32BE(offset + 4),
    salt1: bytes.readUInt32BE(offset + 8),
    salt2: bytes.readUInt32BE(offset + 12),
    checksum: [bytes.readUInt32BE(offset + 16), bytes.readUInt32BE(offset + 20)],
  };
}

function readFrameHeader(wal: number, offset: number): FrameHeader | undefined {
  const bytes = Buffer.alloc(FRAME_HEADER_BYTES);
  return readFully(wal, bytes, offset) < FRAME_HEADER_BYTES ? undefined : frameHeaderAt(bytes, 0);
}

export interface LastCommit {
  readonly position: WalPosition;
  /** Not all frames were looked at. */
  readonly isLimited: boolean;
}

/**
 * Where the last commit after `from` ends, within so many frames. What follows it is under way, rolled back or left over from an
 * earlier round: its salts or its checksums do not fit, or it has no commit.
 */
export function findLastCommit(wal: number, header: WalHeader, from: WalPosition, maxFrames: number): LastCommit {
  const size = frameBytes(header.pageSize);
  const bytes = Buffer.alloc(SCAN_FRAMES * size);
  let last = from;
  let checksum = from.checksum;
  let scanned = 0;
  for (let offset = from.offset; scanned < maxFrames; ) {
    const frames = Math.floor(readFully(wal, bytes, offset) / size);
    for (let index = 0; index < frames && scanned < maxFrames; index++, scanned++, offset += size) {
      const start = index * size;
      const frame = frameHeaderAt(bytes, start);
      if (frame.salt1 !== header.salt1 || frame.salt2 !== header.salt2) return { position: last, isLimited: false };
      checksum = addToChecksum(checksum, bytes.subarray(start, start + CHECKED_BYTES_OF_FRAME_HEADER), header.isBigEndian);
      checksum = addToChecksum(checksum, bytes.subarray(start + FRAME_HEADER_BYTES, start + size), header.isBigEndian);
      if (checksum[0] !== frame.checksum[0] || checksum[1] !== frame.checksum[1]) return { position: last, isLimited: false };
      if (frame.pagesAfterCommit > 0) last = { salt1: header.salt1, salt2: header.salt2, offset: offset + size, checksum };
    }
    if (frames < SCAN_FRAMES) return { position: last, isLimited: false };
  }
  return { position: last, isLimited: true };
}

const hostIsBigEndian = endianness() === 'BE';

/** As SQLite does: two sums over pairs of words. */
export function addToChecksum([start0, start1]: Checksum, bytes: Buffer, isBigEndian: boolean): Checksum {
  // Only what starts at a multiple of four can be seen as words.
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : Buffer.from(new Uint8Array(bytes).buffer);
  const words = new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4);
  const isSwapped = isBigEndian !== hostIsBigEndian;
  let sum0 = start0 | 0;
  let sum1 = start1 | 0;
  for (let index = 0; index < words.length; index += 2) {
    const word0 = words[index] as number;
    const word1 = words[index + 1] as number;
    sum0 = (sum0 + (isSwapped ? swapBytes(word0) : word0) + sum1) | 0;
    sum1 = (sum1 + (isSwapped ? swapBytes(word1) : word1) + sum0) | 0;
  }
  return [sum0 >>> 0, sum1 >>> 0];
}

function swapBytes(word: number): number {
  return ((word & 0xff) << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);
}

/** As many bytes as there are, up to the length of the buffer. */
export function readFully(file: number, bytes: Buffer, offset: number): number {
  let read = 0;
  while (read < bytes.length) {
    const count = readSync(file, bytes, read, bytes.length - read, offset + read);
    if (count === 0) break;
    read += count;
  }
  return read;
}
