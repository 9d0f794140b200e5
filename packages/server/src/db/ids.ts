/** Ids come from the program, for both engines alike. Their times are the database's, so that those of several nodes sort together. */
import { randomBytes } from 'node:crypto';
import { type Clock, systemClock } from '../clock.ts';

const randomPool = { hex: '', used: 0 };
let clock: Pick<Clock, 'nowMs'> = systemClock;
let lastMs = 0;
/** The first twelve digits of an id, for the time that it was last asked for. */
const timeDigits = { ms: -1, text: '' };
let counter = 0;

/** From now on ids carry the time of this clock. They go on rising where it is behind the one before. */
export function takeIdTimesFrom(other: Pick<Clock, 'nowMs'>): void {
  clock = other;
}

/** So many random hexadecimal digits. */
function takeRandom(digits: number): string {
  if (randomPool.used + digits > randomPool.hex.length) {
    randomPool.hex = randomBytes(4096).toString('hex');
    randomPool.used = 0;
  }
  randomPool.used += digits;
  return randomPool.hex.slice(randomPool.used - digits, randomPool.used);
}

/** The time and count of the next id: every pair is given once, in rising order, within a millisecond too. */
function advance(): void {
  const nowMs = clock.nowMs();
  if (nowMs > lastMs) {
    lastMs = nowMs;
    counter = Number.parseInt(takeRandom(2), 16) << 2;
  } else if (++counter > 0xfff) {
    lastMs++;
    counter = 0;
  }
}

/** By four random bits, of which two stay: the others say which variant of UUID it is. */
const VARIANT_DIGITS = '89ab89ab89ab89ab';

/** A UUID version 7. Those of one process sort in the order of their making. */
export function newId(): string {
  advance();
  if (timeDigits.ms !== lastMs) {
    const hex = lastMs.toString(16).padStart(12, '0');
    timeDigits.text = `${hex.slice(0, 8)}-${hex.slice(8)}`;
    timeDigits.ms = lastMs;
  }
  const random = takeRandom(16);
  const variant = VARIANT_DIGITS[Number.parseInt(random[0] as string, 16)];
  return `${timeDigits.text}-${(0x7000 | counter).toString(16)}-${variant}${random.slice(1, 4)}-${random.slice(4)}`;
}

/**
 * A UUID version 7 for a moment that may lie in the past: sorts by that moment, and those of one moment in the order of
 * their making, because the making's own time and count stand where others have random bits.
 */
export function newIdAt(ms: number): string {
  advance();
  // 74 bits after the version and the variant: 44 of the time of making, 12 of the count, 18 random.
  const low = lastMs >>> 0;
  const random = Number.parseInt(takeRandom(5), 16);
  const bytes = Buffer.allocUnsafe(16);
  bytes.writeUIntBE(ms, 0, 6);
  bytes.writeUInt16BE(0x7000 | (Math.floor(lastMs / 2 ** 32) & 0xfff), 6);
  bytes.writeUInt32BE((0x80000000 | (low >>> 2)) >>> 0, 8);
  const last = ((low & 3) << 30) | (counter << 18) | (random & 0x3ffff);
  bytes.writeUInt32BE(last >>> 0, 12);
  return grouped(bytes);
}

/** The moment that an id was made for. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

function grouped(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** An id for what is always the same by what it is made of: of a SHA-256, say. */
export function idOfDigest(digest: Buffer): string {
  return grouped(digest.subarray(0, 16));
}

const ID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** In the place of a workspace's id, where something belongs to none. */
export const NO_WORKSPACE_ID = '00000000-0000-0000-0000-000000000000';

/** Whether a string from a path can be an id at all; PostgreSQL refuses to compare a uuid with anything else. */
export function isId(text: string): boolean {
  return ID_PATTERN.test(text);
}
