import { LARGEST_FILE_BYTES } from '@commonplace/contract/documents';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { labelMap, labelPair, labelsOf, type ReceivedFile, uploadedText } from './rules.ts';

const file = (filename: string, content: string | Buffer = 'text', isTooLarge = false): ReceivedFile => ({
  filename,
  bytes: Buffer.from(content),
  isTooLarge,
});

test.for([
  ['notes.txt', 'notes.txt', 'text/plain'],
  ['NOTES.TXT', 'NOTES.TXT', 'text/plain'],
  ['Read.Me.Md', 'Read.Me.Md', 'text/markdown'],
  ['.md', '.md', 'text/markdown'],
  ['/etc/some folder/a.txt', 'a.txt', 'text/plain'],
  ['C:\\Users\\me\\b.md', 'b.md', 'text/markdown'],
  ['../../c.md', 'c.md', 'text/markdown'],
  ['naïve 日本.md', 'naïve 日本.md', 'text/markdown'],
  ['a\0.md', 'a.md', 'text/markdown'],
] as const)('%j is kept as %j, %s', ([sent, filename, contentType]) => {
  expect(uploadedText(file(sent))).toEqual({ filename, contentType, text: 'text' });
});

test.for([
  ['no file', undefined, 'File is required'],
  ['a file without a name', file(''), 'File is required'],
  ['another extension', file('a.pdf'), 'Only .txt and .md files are allowed'],
  ['no extension', file('md'), 'Only .txt and .md files are allowed'],
  ['an extension within', file('a.md.exe'), 'Only .txt and .md files are allowed'],
  ['a folder with the extension', file('a.md/'), undefined],
  ['a name that is too long', file(`${'é'.repeat(253)}.md`), 'File name must not exceed 255 characters'],
  ['one byte too many', file('a.md', Buffer.alloc(LARGEST_FILE_BYTES + 1, 'a')), 'File must not exceed 2 MB'],
  ['what was cut off', file('a.md', '', true), 'File must not exceed 2 MB'],
  ['a byte that is no UTF-8', file('a.md', Buffer.from([0x61, 0xff])), 'File must be valid UTF-8 text'],
  ['half of a character', file('a.md', Buffer.from('é').subarray(0, 1)), 'File must be valid UTF-8 text'],
  ['a surrogate', file('a.md', Buffer.from([0xed, 0xa0, 0x80])), 'File must be valid UTF-8 text'],
  ['a long form', file('a.md', Buffer.from([0xc0, 0xaf])), 'File must be valid UTF-8 text'],
  ['UTF-16', file('a.md', Buffer.from('\ufeffhello', 'utf16le')), 'File must be valid UTF-8 text'],
] as const)('%s', ([, received, message]) => {
  if (message) expect(() => uploadedText(received)).toThrow(message);
  else expect(() => uploadedText(received)).not.toThrow();
});

test('of several things that are wrong, the first is named: extension, size, encoding', () => {
  const broken = Buffer.alloc(LARGEST_FILE_BYTES + 1, 0xff);
  expect(() => uploadedText(file('a.exe', broken))).toThrow('Only .txt and .md files are allowed');
  expect(() => uploadedText(file('a.md', broken))).toThrow('File must not exceed 2 MB');
  expect(() => uploadedText(file('a.md', broken.subarray(1)))).toThrow('File must be valid UTF-8 text');
});

test.for([
  [[], []],
  [[''], []],
  [[' , ;; '], []],
  [['lang=en,public'], ['lang=en', 'public']],
  [['lang=en; public ;lang=en'], ['lang=en', 'public']],
  [['b,a;c'], ['b', 'a', 'c']],
  [['["lang=en", " public ", "a,b;c", "lang=en", ""]'], ['lang=en', 'public', 'a,b;c']],
  [[' [ ] '], []],
  [
    ['b=2', 'a=1,b=2'],
    ['b=2', 'a=1'],
  ],
  [['a=x=y'], ['a=x=y']],
  [['naïve=日本'], ['naïve=日本']],
] as const)('labels %j are %j', ([sent, labels]) => {
  expect(labelsOf(sent)).toEqual(labels);
});

test.for([
  ['_secret', 'Labels must not use keys starting with _'],
  ['a, _b=1', 'Labels must not use keys starting with _'],
  ['["ok", "_x=1"]', 'Labels must not use keys starting with _'],
  ['_=1', 'Labels must not use keys starting with _'],
  ['__proto__=1', 'Labels must not use keys starting with _'],
  ['[1]', 'Labels must be a JSON array of strings, or values separated by commas or semicolons'],
  ['["a"', 'Labels must be a JSON array of strings, or values separated by commas or semicolons'],
  ['{"a":"b"}', 'Labels must be a JSON array of strings, or values separated by commas or semicolons'],
  [' {"a":"b","c":"d"}', 'Labels must be a JSON array of strings, or values separated by commas or semicolons'],
  ['{a, b', 'Labels must be a JSON array of strings, or values separated by commas or semicolons'],
  ['[null]', 'Labels must be a JSON array of strings, or values separated by commas or semicolons'],
  [Array.from({ length: 101 }, (_, index) => `l${index}`).join(), 'Labels must not have more than 100 items'],
  ['x'.repeat(321), 'Labels must not exceed 320 characters each'],
  ['["a\\u0000b"]', 'Labels must not contain NUL or unpaired surrogate characters'],
  ['["\\ud800"]', 'Labels must not contain NUL or unpaired surrogate characters'],
] as const)('labels %s: %s', ([sent, message]) => {
  expect(() => labelsOf([sent])).toThrow(message);
});

test('an underscore is allowed anywhere but at the beginning of a key', () => {
  expect(labelsOf(['a_b=1,c=_d'])).toEqual(['a_b=1', 'c=_d']);
});

test('a label is a pair, or a word that is its own key', () => {
  expect(labelPair('lang=en')).toEqual(['lang', 'en']);
  expect(labelPair('lang = en ')).toEqual(['lang', 'en']);
  expect(labelPair('public')).toEqual(['public', '']);
  expect(labelPair('a=b=c')).toEqual(['a', 'b=c']);
  expect(labelMap(['lang=en', 'public', 'constructor'])).toEqual({ lang: 'en', public: '', constructor: '' });
  expect(labelMap([])).toEqual({});
});

test('however they are sent, the same labels come out', () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9=]{0,10}$/);
  fc.assert(
    fc.property(fc.array(word, { maxLength: 20 }), (words) => {
      const labels = labelsOf([JSON.stringify(words)]);
      expect(labels).toEqual([...new Set(words)]);
      expect(labelsOf([words.join(',')])).toEqual(labels);
      expect(labelsOf([words.join(' ; ')])).toEqual(labels);
      expect(labelsOf(words)).toEqual(labels);
      expect(labelsOf(labels)).toEqual(labels);
    }),
  );
});
