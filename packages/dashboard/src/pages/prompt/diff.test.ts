import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffContents } from '../../../../server/src/prompts/diffs.ts';
import { countLines, describeSame, diffLists, diffTexts, foldRows, rowsOf } from './diff.ts';

const lists = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 });

test('the way from one list to another leads there, and is no longer than it must be', () => {
  fc.assert(
    fc.property(lists, lists, (from, to) => {
      const kinds = diffLists(from, to, 100) ?? [];
      const [before, after] = [[...from], [...to]];
      for (const kind of kinds) {
        const [old, now] = [kind === 'added' ? undefined : before.shift(), kind === 'removed' ? undefined : after.shift()];
        if (kind === 'same') expect(old).toBe(now);
      }
      expect([before, after]).toEqual([[], []]);
      const edits = kinds.filter((kind) => kind !== 'same').length;
      if (edits > 0) expect(diffLists(from, to, edits - 1)).toBeUndefined();
    }),
  );
});

test('as many lines change as the service says, where each has its newline', () => {
  const lines = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'd\n'), { maxLength: 20 }).map((all) => all.join(''));
  fc.assert(
    fc.property(lines, lines, (from, to) => {
      const theirs = diffContents({ name: 'a', content: from }, { name: 'b', content: to }).changes;
      expect(countLines(rowsOf(diffTexts(from, to)))).toEqual(countLines(rowsOf(theirs)));
    }),
  );
});

test('a newline that is missing at the end changes no line', () => {
  const count = (from: string, to: string) => countLines(rowsOf(diffTexts(from, to)));
  expect(count('one\ntwo', 'one\ntwo\nthree\n')).toEqual({ added: 1, removed: 0 });
  expect(count('one\ntwo', 'one\ntwo\nthree')).toEqual({ added: 1, removed: 0 });
  expect(count('one\ntwo\nthree', 'one\ntwo\n')).toEqual({ added: 0, removed: 1 });
  expect(count('one\ntwo', 'one\ntwo\n')).toEqual({ added: 0, removed: 0 });
  expect(count('one\n', 'one\n\n')).toEqual({ added: 1, removed: 0 });
  expect(describeSame('one', 'one\n')).toContain('newline at the end differs');
  expect(describeSame('one', 'one')).toBe('The content is the same.');
});

test('changed words are marked, and a space between two of them with them', () => {
  const [row] = rowsOf(diffTexts('Answer in at most six long sentences.', 'Answer in at most four sentences.'));
  expect(row?.before?.parts).toEqual([
    { text: 'Answer in at most ', changed: false },
    { text: 'six long', changed: true },
    { text: ' sentences.', changed: false },
  ]);
  expect(row?.after?.parts[1]).toEqual({ text: 'four', changed: true });
});

test('a run of more than twelve unchanged lines is folded, a shorter one is not', () => {
  const text = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}\n`).join('');
  const fold = (count: number) => foldRows(rowsOf(diffTexts(`old\n${text(count)}end\n`, `new\n${text(count)}END\n`)));
  expect(fold(12).some((item) => 'hidden' in item)).toBe(false);
  const hidden = fold(20).flatMap((item) => ('hidden' in item ? item.hidden : []));
  expect(hidden).toHaveLength(14);
});

test('texts that have nothing in common cost no more than the limit', () => {
  const text = (word: string) => Array.from({ length: 20_000 }, (_, at) => `${word} ${at}\n`).join('');
  const changes = diffTexts(text('a'), text('b'));
  expect(changes.map(({ kind }) => kind)).toEqual(['removed', 'added']);
});
