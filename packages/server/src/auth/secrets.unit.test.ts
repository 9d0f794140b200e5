import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hashSecret, hintOf, looksGenuine, newSecret, type SecretKind, secretPrefixes, withoutSecrets } from './secrets.ts';

const kinds = Object.keys(secretPrefixes) as SecretKind[];

test('each kind has a prefix of its own, of which none begins another', () => {
  const prefixes = Object.values(secretPrefixes);
  for (const one of prefixes) for (const other of prefixes) expect(one.startsWith(other)).toBe(one === other);
});

describe.for(kinds)('%s', (kind) => {
  test('a new one has its prefix, 38 letters and digits, and is genuine', () => {
    for (let index = 0; index < 200; index++) {
      const secret = newSecret(kind);
      expect(secret).toMatch(new RegExp(`^${secretPrefixes[kind]}[0-9A-Za-z]{38}$`));
      expect(looksGenuine(secret)).toBe(true);
    }
  });

  test('one that was mistyped anywhere is not genuine', () => {
    const secret = newSecret(kind);
    for (let index = 4; index < secret.length; index++) {
      const other = secret[index] === 'x' ? 'y' : 'x';
      expect(looksGenuine(secret.slice(0, index) + other + secret.slice(index + 1))).toBe(false);
    }
  });

  test('one that was cut, lengthened, transposed or given another prefix is not genuine', () => {
    const secret = newSecret(kind);
    const other = secretPrefixes[kinds[(kinds.indexOf(kind) + 1) % kinds.length] as SecretKind];
    for (const spoiled of [secret.slice(0, -1), `${secret}x`, `${secret} `, secretPrefixes[kind], other + secret.slice(4)]) {
      expect([spoiled, looksGenuine(spoiled)]).toEqual([spoiled, false]);
    }
  });
});

test('no two are the same, and every letter turns up about as often', () => {
  const secrets = Array.from({ length: 2000 }, () => newSecret('apiKey').slice(4, 36));
  expect(new Set(secrets).size).toBe(2000);
  const counts = new Map<string, number>();
  for (const letter of secrets.join('')) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  expect(counts.size).toBe(62);
  // 64,000 letters, 1032 of each; six standard deviations are 191.
  for (const [letter, count] of counts) expect([letter, Math.abs(count - 1032) < 200]).toEqual([letter, true]);
});

test('what an administrator chose passes for genuine; whether it is one, the database says', () => {
  fc.assert(
    fc.property(fc.string(), (secret) => {
      const isOurs = Object.values(secretPrefixes).some((prefix) => secret.startsWith(prefix));
      expect(looksGenuine(secret)).toBe(!isOurs);
    }),
    { seed: 1 },
  );
});

test('the hash is SHA-256 in hexadecimal', () => {
  expect(hashSecret('cpa_x')).toBe(hash('sha256', 'cpa_x', 'hex'));
  expect(hashSecret('cpa_x')).toMatch(/^[0-9a-f]{64}$/);
});

test('a hint tells keys apart and gives nothing away', () => {
  const secret = newSecret('accessKey');
  expect(hintOf(secret)).toBe(`cpa_…${secret.slice(-4)}`);
  expect(hintOf('chosen-by-an-administrator')).toBe('…ator');
});

test('a path for the log shows no token', () => {
  const token = newSecret('invite');
  expect(withoutSecrets(`/api/v1/invites/${token}/accept`)).toBe('/api/v1/invites/cpi_…/accept');
  expect(withoutSecrets(`/x?key=${newSecret('apiKey')}&a=${newSecret('accessKey')}`)).toBe('/x?key=cpu_…&a=cpa_…');
  expect(withoutSecrets('/api/v1/workspaces')).toBe('/api/v1/workspaces');
});
