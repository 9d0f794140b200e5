import { argon2 } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { hashPassword, isCommonPassword, verifyPassword } from './passwords.ts';

// Real, and watched.
vi.mock(import('node:crypto'), async (original) => {
  const crypto = await original();
  return { ...crypto, argon2: vi.fn(crypto.argon2) };
});

const PASSWORD = 'a long and unusual phrase';

describe('hashes', () => {
  test('are argon2id in PHC form, at the cost that OWASP asks for or more', async () => {
    const [, memory, passes, salt, tag] =
      /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([\w+/]+)\$([\w+/]+)$/.exec(await hashPassword(PASSWORD)) ?? [];
    expect(Number(memory)).toBeGreaterThanOrEqual(19_456);
    expect(Number(passes)).toBeGreaterThanOrEqual(2);
    expect(Buffer.from(salt as string, 'base64')).toHaveLength(16);
    expect(Buffer.from(tag as string, 'base64')).toHaveLength(32);
  });

  test('are salted: the same password twice is two hashes', async () => {
    const hashes = await Promise.all([hashPassword(PASSWORD), hashPassword(PASSWORD)]);
    expect(new Set(hashes).size).toBe(2);
    for (const hash of hashes) expect(await verifyPassword(PASSWORD, hash)).toBe(true);
  });

  test('are opened by the password and by no other', async () => {
    const hash = await hashPassword(PASSWORD);
    for (const wrong of ['', ' ', `${PASSWORD} `, PASSWORD.toUpperCase(), PASSWORD.slice(0, -1), `${PASSWORD}\0`]) {
      expect([wrong, await verifyPassword(wrong, hash)]).toEqual([wrong, false]);
    }
  });

  test('do not mind how a keyboard composes a letter', async () => {
    const hash = await hashPassword('Ångström genügt'.normalize('NFC'));
    expect(await verifyPassword('Ångström genügt'.normalize('NFD'), hash)).toBe(true);
  });

  test('made at another cost still open', async () => {
    // By the reference implementation: argon2 "somesalt" -id -t 2 -k 256 -p 1, password "password".
    const known = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
    expect(await verifyPassword('password', known)).toBe(true);
    expect(await verifyPassword('passwore', known)).toBe(false);
  });

  test.for([null, undefined, '', 'plain text', '$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65', '$2b$10$abcdefghijklmnopqrstuv'])(
    'what is no hash of ours (%s) opens to nothing',
    async (stored) => {
      expect(await verifyPassword('plain text', stored)).toBe(false);
    },
  );

  test('a missing account costs as much work as a wrong password', async () => {
    const hash = await hashPassword(PASSWORD);
    const workFor = async (stored: string | null) => {
      vi.mocked(argon2).mockClear();
      await verifyPassword('wrong', stored);
      return vi.mocked(argon2).mock.calls.map(([algorithm, { memory, passes, parallelism, tagLength, nonce }]) => {
        return { algorithm, memory, passes, parallelism, tagLength, saltBytes: (nonce as Buffer).length };
      });
    };
    const wrong = await workFor(hash);
    expect(wrong).toHaveLength(1);
    expect(await workFor(null)).toEqual(wrong);
  });

  test('many at once all come out right', async () => {
    const passwords = Array.from({ length: 8 }, (_, index) => `${PASSWORD} ${index}`);
    const hashes = await Promise.all(passwords.map(hashPassword));
    const opened = await Promise.all(hashes.map((hash, index) => verifyPassword(passwords[index] as string, hash)));
    expect(opened).toEqual(passwords.map(() => true));
  });
});

describe('the commonest', () => {
  test.for([
    'password123',
    'PASSWORD123',
    'Qwertyuiop',
    '1234567890',
    'aaaaaaaaaaaa',
    '😀😀😀😀😀😀😀😀😀😀',
    'correcthorsebatterystaple',
    'ｐａｓｓｗｏｒｄ１２３',
  ])('%s is one of them', (password) => {
    expect(isCommonPassword(password)).toBe(true);
  });

  test.for([PASSWORD, 'password123!', 'aaaaaaaaaab', '', ' '])('“%s” is not', (password) => {
    expect(isCommonPassword(password)).toBe(false);
  });
});
