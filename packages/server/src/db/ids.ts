/** Ids and times come from the program, so that both engines and every node agree on them. */
import { randomBytes } from 'node:crypto';

const randomPool = { bytes: randomBytes(4096), used: 0 };
let lastMs = 0;
let counter = 0;

function takeRandom(count: number): Uint8Array {
  if (randomPool.used + count > randomPool.bytes.length) {
    randomPool.bytes = randomBytes(4096);
    randomPool.used = 0;
  }
  randomPool.used += count;
  return randomPool.bytes.subarray(randomPool.used - count, randomPool.used);
}

/** A UUID version 7. Those of one process sort in the order of their making, within a millisecond too. */
export function newId(): string {
  const nowMs = Date.now();
  if (nowMs > lastMs) {
    lastMs = nowMs;
    counter = (takeRandom(1)[0] as number) << 2;
  } else if (++counter > 0xfff) {
    lastMs++;
    counter = 0;
  }
  const bytes = Buffer.allocUnsafe(16);
  bytes.writeUIntBE(lastMs, 0, 6);
  bytes.writeUInt16BE(0x7000 | counter, 6);
  bytes.set(takeRandom(8), 8);
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/**
 * A UUID version 7 for a moment that may lie in the past: sorts by that moment, and those of one moment in the order of
 * their making, because the making's own time and count stand where others have random bits.
 */
export function newIdAt(ms: number): string {
  const made = newId();
  const madeMs = Number.parseInt(made.slice(0, 8) + made.slice(9, 13), 16);
  const count = Number.parseInt(made.slice(15, 18), 16);
  // 74 bits after the version and the variant: 44 of the time of making, 12 of the count, 18 random.
  const random = ((takeRandom(1)[0] as number) << 10) | ((takeRandom(1)[0] as number) << 2);
  const tail = (BigInt(madeMs) << 30n) | (BigInt(count) << 18n) | BigInt(random & 0x3ffff);
  const head = ms.toString(16).padStart(12, '0');
  const high = (tail >> 62n).toString(16).padStart(3, '0');
  const low = (0x8000000000000000n | (tail & 0x3fffffffffffffffn)).toString(16);
  return `${head.slice(0, 8)}-${head.slice(8)}-7${high}-${low.slice(0, 4)}-${low.slice(4)}`;
}

const ID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a string from a path can be an id at all; PostgreSQL refuses to compare a uuid with anything else. */
export function isId(text: string): boolean {
  return ID_PATTERN.test(text);
}
