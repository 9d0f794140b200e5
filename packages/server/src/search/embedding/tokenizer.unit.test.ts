import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findModelDir } from './model-files.ts';
import { Tokenizer } from './tokenizer.ts';

const json = readFileSync(join(findModelDir(), 'tokenizer.json'), 'utf8');
const tokenizer = new Tokenizer(json);
const CLS = 101;
const SEP = 102;
const UNK = 100;

/** The tokenizer of the model's own makers, which comes with the package of the model. */
function reference(): (text: string) => number[] {
  const require = createRequire(join(findModelDir(), '../package.json'));
  const library = require('@huggingface/tokenizers') as {
    Tokenizer: new (file: object, config: object) => { encode(text: string): { ids: number[] } };
  };
  const encoder = new library.Tokenizer(JSON.parse(json), {});
  return (text) => {
    const { ids } = encoder.encode(text);
    return ids.length > 256 ? [...ids.slice(0, 255), SEP] : ids;
  };
}

/** Repeatable, of all scripts, with spaces, controls, lone surrogates and unassigned code points among them. */
function strangeTexts(count: number): string[] {
  const ranges = [
    [0x00, 0x7f],
    [0x00, 0x24f],
    [0x300, 0x52f],
    [0x590, 0x6ff],
    [0x900, 0xdff],
    [0x1100, 0x11ff],
    [0x1e00, 0x206f],
    [0x2000, 0x2bff],
    [0x3000, 0x9fff],
    [0xac00, 0xd7a3],
    [0xdc00, 0xdfff],
    [0xf900, 0xffff],
    [0x1f300, 0x1faff],
    [0x10000, 0x1ffff],
    [0xe0000, 0xe01ff],
  ] as const;
  let seed = 1;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((seed / 0x80000000) * below);
  };
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + random(40) }, () => {
      const [from, to] = ranges[random(random(2) ? 2 : ranges.length)] ?? [0, 0];
      return random(7) === 0 ? ' ' : String.fromCodePoint(from + random(to - from + 1));
    }).join(''),
  );
}

test('the tokens are those of the reference, for words, scripts, emoji and long texts', () => {
  const encode = reference();
  const chosen = [
    '',
    ' \t\n',
    'Hello, World!',
    "don't we'll it's",
    'unaffable antidisestablishmentarianism',
    'naïve café Ångström ÀÉÎÕÜ',
    'ΟΔΟΣ ΣΑΣ',
    'İstanbul straße',
    '東京都は日本の首都です',
    '한국어 문장입니다',
    'Привет, мир',
    'مرحبا بالعالم',
    'नमस्ते दुनिया',
    '😀👍🏽 👨‍👩‍👧‍👦 family',
    'x\fy\vz\u0085w\ufeffv\u200bu',
    'a\u00a0b\u3000c\u2028d',
    'a'.repeat(100),
    'a'.repeat(101),
    'é'.repeat(101),
    '😀'.repeat(101),
    'word '.repeat(3_000),
    'supercalifragilistic'.repeat(4),
    '# Title\n\n- item `code` **bold** | a | b |',
    'https://example.org/a/b?c=d&e=f#g',
    '1,234.56 €/m² ≥ 10⁻³',
    '\ud800 lone \udc00',
    '\u0301 accent alone',
  ];
  for (const text of [...chosen, ...strangeTexts(5_000)]) expect([text, tokenizer.encode(text, 256)]).toEqual([text, encode(text)]);
});

test('a text is cut at the limit and still ends as texts do', () => {
  const ids = tokenizer.encode('cat '.repeat(1_000), 256);
  expect(ids).toHaveLength(256);
  expect([ids[0], ids[255]]).toEqual([CLS, SEP]);
  expect(tokenizer.encode('cat '.repeat(254), 256)).toEqual(ids);
  expect(tokenizer.encode('cat '.repeat(253), 256)).toHaveLength(255);
});

test('special tokens in a text are text', () => {
  const ids = tokenizer.encode('[SEP] [CLS] [UNK]', 256);
  expect(ids.filter((id) => id === CLS || id === SEP || id === UNK)).toEqual([CLS, SEP]);
});

test('ideographs beyond the first plane are words of their own, as in the original', () => {
  expect(tokenizer.encode('\u{20000}\u{20001}', 256)).toEqual([CLS, UNK, UNK, SEP]);
});

test('a file of another kind is refused', () => {
  expect(() => new Tokenizer('{"model":{"type":"BPE","vocab":{}}}')).toThrow('of type BPE');
});
