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

const ID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a string from a path can be an id at all; PostgreSQL refuses to compare a uuid with anything else. */
export function isId(text: string): boolean {
  return ID_PATTERN.test(text);
}
