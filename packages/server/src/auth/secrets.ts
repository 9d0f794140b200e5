/** Keys and tokens: how they look, and the hashes that are all the database ever sees of them. */
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Each kind is told apart at sight, by people and by secret scanners. */
export const secretPrefixes = { apiKey: 'cpu_', accessKey: 'cpa_', session: 'cps_', invite: 'cpi_' } as const;
export type SecretKind = keyof typeof secretPrefixes;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;

/** Many at a time, as asking for them costs more than they do; each is used once, and then gone. */
const randomPool = { bytes: Buffer.alloc(0), used: 0 };
const POOL_BYTES = 1024;

function nextRandomByte(): number {
  if (randomPool.used === randomPool.bytes.length) {
    randomPool.bytes = randomBytes(POOL_BYTES);
    randomPool.used = 0;
  }
  const byte = randomPool.bytes[randomPool.used] as number;
  randomPool.bytes[randomPool.used++] = 0;
  return byte;
}

/** 190 bits of randomness and a checksum, in letters and digits: `cpa_…`. */
export function newSecret(kind: SecretKind): string {
  let random = '';
  while (random.length < RANDOM_LENGTH) {
    const byte = nextRandomByte();
    // 248 is the largest multiple of 62 in a byte: taking the rest would favour some letters.
    if (byte < 248) random += ALPHABET[byte % 62];
  }
  const body = secretPrefixes[kind] + random;
  return body + checksum(body);
}

/** False for a mistyped or made-up key of ours, with no look-up; a key of another form may be an administrator's own. */
export function looksGenuine(secret: string): boolean {
  if (!Object.values(secretPrefixes).some((prefix) => secret.startsWith(prefix))) return true;
  return (
    secret.length === 4 + RANDOM_LENGTH + CHECKSUM_LENGTH && checksum(secret.slice(0, -CHECKSUM_LENGTH)) === secret.slice(-CHECKSUM_LENGTH)
  );
}

/** Secrets are random and long, so one round of SHA-256 keeps them; passwords go through argon2id instead. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** What a list may show of a key: `cpa_…x7Qd`; less of one that an administrator chose. */
export function hintOf(secret: string): string {
  const prefix = Object.values(secretPrefixes).find((candidate) => secret.startsWith(candidate)) ?? '';
  return `${prefix}…${secret.slice(-4)}`;
}

const SECRETS = new RegExp(`(${Object.values(secretPrefixes).join('|')})[^/?&\\s]+`, 'g');

/** A path as logs and traces may show it: some carry a token. */
export function withoutSecrets(path: string): string {
  return path.replace(SECRETS, '$1…');
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let index = 0; index < CHECKSUM_LENGTH; index++) {
    text = ALPHABET[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
