import { applyPatch, createTwoFilesPatch, diffLines } from 'diff';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { processorMsOf } from '../../test/processor-time.ts';
import { diffContents } from './diffs.ts';

const between = (from: string, to: string) => diffContents({ name: 'p v1', content: from }, { name: 'p v2', content: to });

test('a diff has the lines that went, came and stayed', () => {
  const { unified, changes } = between('one\ntwo\nthree\n', 'one\n2\nthree\nfour\n');
  expect(changes).toEqual([
    { kind: 'same', text: 'one\n' },
    { kind: 'removed', text: 'two\n' },
    { kind: 'added', text: '2\n' },
    { kind: 'same', text: 'three\n' },
    { kind: 'added', text: 'four\n' },
  ]);
  expect(unified.split('\n').slice(1)).toEqual(['--- p v1', '+++ p v2', '@@ -1,3 +1,4 @@', ' one', '-two', '+2', ' three', '+four', '']);
  expect(between('x', 'x')).toEqual({ unified: '', changes: [{ kind: 'same', text: 'x' }] });
});

/** Few different lines, so that much is the same; with and without a newline at the end. */
const content = fc
  .tuple(fc.array(fc.constantFrom('a', 'b', 'c', '', 'd\r'), { maxLength: 40 }), fc.constantFrom('', '\n', 'e'))
  .map(([lines, end]) => `${lines.join('\n')}${end}`);

test('the unified diff is the one that the changes tell, and turns the one content into the other', () => {
  fc.assert(
    fc.property(content, content, (from, to) => {
      const { unified, changes } = between(from, to);
      const text = (kinds: string[]) => changes.map((change) => (kinds.includes(change.kind) ? change.text : '')).join('');
      expect(text(['same', 'removed'])).toBe(from);
      expect(text(['same', 'added'])).toBe(to);
      expect(unified).toBe(from === to ? '' : createTwoFilesPatch('p v1', 'p v2', from, to));
      expect(changes.length).toBe(from === to ? 1 : diffLines(from, to).length);
    }),
    { numRuns: 500, seed: 1 },
  );
});

test('beyond 1,000 edits all is removed and all added, and the unified diff still holds', () => {
  const lines = (count: number, name: string) => Array.from({ length: count }, (_, index) => `${name}${index}\n`).join('');
  const within = between(`same\n${lines(500, 'a')}`, `same\n${lines(500, 'b')}`);
  expect(within.changes.map(({ kind }) => kind)).toEqual(['same', 'removed', 'added']);
  const [from, to] = [`same\n${lines(501, 'a')}`, `same\n${lines(500, 'b')}end`];
  const beyond = between(from, to);
  expect(beyond.changes).toEqual([
    { kind: 'removed', text: from },
    { kind: 'added', text: to },
  ]);
  expect(applyPatch(from, beyond.unified)).toBe(to);
});

test.for([
  ['lines that all differ', 'x\n'.repeat(500_000), 'y\n'.repeat(500_000)],
  ['lines in another order', 'a\nb\nc\n'.repeat(166_000), 'a\na\nb\n'.repeat(166_000)],
  ['one line', 'x'.repeat(1_000_000), 'y'.repeat(1_000_000)],
] as const)('1 MB each take less than five seconds: %s', ([, from, to]) => {
  expect(processorMsOf(() => between(from, to))).toBeLessThan(5000);
});
