import fc from 'fast-check';
import { expect, test } from 'vitest';
import { excerptOf } from './excerpt.ts';
import { leastProcessorMsOf } from './processor-time-for-test.ts';
import { redactAnswer, redactedExcerpt, redactSecrets } from './redaction.ts';
import { looksSecret } from './secrets.ts';

test('the sentences and lines that look secret are hidden, the others stay', () => {
  const key = 'sk-proj-9a8B7c6D5e4F3g2H1i0JkLmNoPqRsTuV';
  const shown = redactSecrets(`I live in Lisbon. My key is ${key}. It is new.\nAWS_SECRET_ACCESS_KEY=abcd1234efgh5678\nThanks!`);
  expect(shown).toBe('I live in Lisbon. [a secret was left out]\nThanks!');
  for (const told of [
    'The password? It is hunter2hunter2.',
    'DB_PASSWORD=\n  hunter2hunter2',
    'My password is: Xk29! hunter2 horse',
    `My key is ${key}, and my password is\nhunter2`,
    `The token economy is what I read about, ${'and much else, '.repeat(20)}my password is hunter2`,
  ])
    expect(redactSecrets(told), told).not.toContain('hunter2');
  expect(redactSecrets('-----BEGIN PRIVATE KEY-----\nMIIE\nshort\n-----END PRIVATE KEY-----\nThat is it.')).toBe(
    '[a secret was left out]\nThat is it.',
  );
  expect(redactSecrets('Nothing to hide here.')).toBe('Nothing to hide here.');
});

test('a number among other numbers is recognized, and years are none', () => {
  expect(looksSecret('12 4111 1111 1111 1111')).toBe(true);
  expect(looksSecret('ES91 2100 0418 4502 0005 1332 CALL ME')).toBe(true);
  expect(looksSecret('It was so in 2018 2019 2020 2021 2022 2023 2024 2025 and 2026')).toBe(false);
});

const secrets: readonly { told: string; parts: readonly string[] }[] = [
  { told: 'sk-proj-9a8B7c6D5e4F3g2H1i0JkLmNoPqRsTuV', parts: ['9a8B7c6D', 'NoPqRsTuV'] },
  { told: 'ghp_FAKEfakeFAKEfakeFAKEfakeFAKEfake0000', parts: ['FAKEfake', 'fake0000'] },
  { told: 'my password is hunter2', parts: ['hunter', 'unter2'] },
  { told: 'the passphrase is correct horse battery staple', parts: ['correct horse', 'battery', 'staple'] },
  { told: 'Bearer abcdefghijkl.mnopqrstuvwx', parts: ['abcdefgh', 'mnopqrstuvwx'] },
  { told: '4111 1111 1111 1111', parts: ['4111 1111', '1111 1111'] },
  { told: 'DE89 3704 0044 0532 0130 00', parts: ['DE89', '3704', '0130 00'] },
  { told: 'my SSN: 123-45-6789', parts: ['123-45', '45-6789'] },
  { told: 'postgres://admin:fake-secret@db.example.com/prod', parts: ['fake-secret', 'fake-sec'] },
  { told: `eyJhbGciOiJIUzI1NiJ9.${'eyJzdWIiOiIxMjM0NTY3ODkwIn0'.repeat(40)}.sIgNaTuRe`, parts: ['IxMjM0NT', 'sIgNaTuRe'] },
  { told: 'a8f5f167f44f4964e6c998dee827110c', parts: ['a8f5f167', 'e827110c'] },
  {
    told: `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkq\n'.repeat(30)}-----END PRIVATE KEY-----`,
    parts: ['MIIEvQ', 'BgkqhkiG', 'ANBgkq'],
  },
];

/** What stands around a secret: prose, code, lists, other scripts, signs, and what the cuts look for. */
const piece = fc.oneof(
  fc.constantFrom(
    'I live in Lisbon. ',
    'x\n',
    'a.',
    ' ',
    '\n',
    '\t',
    '漢字',
    'token ',
    'password manager ',
    '42 ',
    '1234 ',
    '-----BEGIN ',
    '-----END ',
    '\uFFFC',
    '"',
    '`',
    'A1b2',
    '? ',
    '… ',
    '😀',
  ),
  fc.string({ maxLength: 12 }),
);
const noise = fc
  .tuple(fc.array(piece, { minLength: 1, maxLength: 12 }), fc.integer({ min: 1, max: 60 }))
  .map(([pieces, times]) => pieces.join('').repeat(times));
const separator = fc.constantFrom(' ', '\n', '. ', ' — ', '\n\n', ' (');

test('a secret anywhere in a text of any shape is never shown, nor half of it', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...secrets),
      noise,
      noise,
      separator,
      separator,
      fc.integer({ min: 20, max: 3_000 }),
      ({ told, parts }, before, after, opening, closing, most) => {
        const own = parts.filter((part) => !before.includes(part) && !after.includes(part));
        const shown = redactedExcerpt(`${before}${opening}${told}${closing}${after}`, most);
        expect(shown.length).toBeLessThanOrEqual(most);
        expect(shown.isWellFormed()).toBe(true);
        for (const part of own) expect(shown).not.toContain(part);
      },
    ),
    { numRuns: 5_000, seed: 8 },
  );
});

test('the sign of a gap in the text itself hides no gap', () => {
  const text = `${'\uFFFCI live in Lisbon. '.repeat(14)} the passphrase is correct horse battery staple ${'…  '.repeat(16)}`;
  expect(redactedExcerpt(text, 356)).not.toContain('staple');
});

test('what looks like the beginning of an account number does not hide one behind it', () => {
  expect(redactedExcerpt('AA00 DE89 3704 0044 0532 0130 00 I live in Lisbon. ', 51)).not.toContain('DE89');
});

test('wherever a text is cut, the secret at the cut is gone', () => {
  for (const { told, parts } of secrets) {
    for (let place = 0; place <= told.length + 400; place += Math.ceil((told.length + 400) / 97)) {
      // The beginning ends, or the end begins, within the secret or after it.
      const most = 2_000;
      const atBeginning = `${'word '.repeat(400).slice(0, most * 0.75 - place)} ${told} ${'word '.repeat(4_000)}`;
      const atEnd = `${'word '.repeat(4_000)} ${told} ${'word '.repeat(400).slice(0, Math.max(0, most / 4 - place))}`;
      for (const text of [atBeginning, atEnd]) {
        const shown = redactedExcerpt(text, most);
        for (const part of parts) expect(shown, `${told} at ${place}`).not.toContain(part);
      }
    }
  }
});

test('the end of a text is not read where a key block is in what is left out', () => {
  const text = `Hello. ${'word '.repeat(1_000)}-----BEGIN PGP PRIVATE KEY BLOCK-----\n${'lQOYBF\n'.repeat(2_000)}`;
  expect(redactedExcerpt(text, 500)).toMatch(/^Hello\. (?:word ?)+\n\[…\]\n$/);
  expect(excerptOf(text.replaceAll('-----BEGIN', ''), 500)).toMatch(/lQOYBF\n$/);
});

test('a key block of any length is hidden', () => {
  const block = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIB\n'.repeat(1_000_000)}-----END PRIVATE KEY-----`;
  expect(redactSecrets(`Hello.\n${block}\nThat is it.`)).toBe('Hello.\n[a secret was left out]\nThat is it.');
});

const MEGABYTE = 1_000_000;
const shapes = [
  'x\n',
  'a.',
  'a. ',
  '-----BEGIN',
  '-----BEGIN X\n',
  ' ',
  '漢字',
  '\uFFFC',
  'eyJ-',
  'eyJabcdefghijkl.',
  'pin ',
  'password is ',
  '1 ',
  '1',
  'sk-',
  'db-key-',
  'AB12 ',
  'a:',
  'http://',
  'A1',
];

test.for(shapes)('a megabyte of %j is cut and looked at within a moment of processor time', (shape) => {
  const text = shape.repeat(Math.ceil(MEGABYTE / shape.length)).slice(0, MEGABYTE);
  redactedExcerpt(text, 8_000);
  expect(leastProcessorMsOf(() => redactedExcerpt(text, 8_000))).toBeLessThan(400);
});

test.for(shapes)('looking for secrets in %j takes time in proportion to the text', (shape) => {
  const processorMs = (length: number) => {
    const text = shape.repeat(Math.ceil(length / shape.length)).slice(0, length);
    redactSecrets(text);
    return leastProcessorMsOf(() => redactSecrets(text));
  };
  // Eight times the text, and not sixty-four times the work.
  expect(processorMs(400_000)).toBeLessThan(24 * processorMs(50_000) + 50);
});

test.for([
  ["What's your password?", 'hunter2', '[a secret was left out]'],
  ['Could you tell me the PIN, please?\n', '4471\nAnd I live in Rome', '[a secret was left out]\nAnd I live in Rome'],
  ['Which API key do you use? I need it to go on.', 'abc123def, thanks', '[a secret was left out]'],
  ['Any allergies?', 'yes, latex', 'yes, latex'],
  ['Do you use a password manager?', 'yes, for years', 'yes, for years'],
  ['[a secret was left out] Any allergies?', 'latex', 'latex'],
  ['Which account is it for?', 'savings', 'savings'],
  ['', 'latex', 'latex'],
] as const)('after %j the answer %j is shown as %j', ([question, answer, shown]) => {
  expect(redactAnswer(question, answer)).toBe(shown);
});
