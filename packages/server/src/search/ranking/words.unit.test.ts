import fc from 'fast-check';
import { expect, test } from 'vitest';
import { finish } from './index-for-test.ts';
import { Items } from './items.ts';
import { passagesOf } from './passages.ts';
import { Postings } from './postings.ts';
import { profiles } from './profiles.ts';
import { scoreWords } from './words.ts';

const VOCABULARY = ['ash', 'birch', 'cedar', 'elm', 'fir'];
const word = fc.constantFrom(...VOCABULARY);
const texts = fc.array(fc.record({ words: fc.array(word, { maxLength: 12 }), isGone: fc.boolean() }), { minLength: 1, maxLength: 20 });

function indexed(all: { words: string[]; isGone: boolean }[]) {
  const items = new Items();
  const postings = new Postings();
  all.forEach(({ words }, i) => {
    const order = String(i).padStart(3, '0');
    const slot = items.add({ id: `i${i}`, order, thread: 't', version: 1, time: undefined, fingerprint: i, length: words.length });
    for (const term of new Set(words)) postings.add(term, slot, words.filter((other) => other === term).length);
  });
  all.forEach(({ isGone }, slot) => {
    if (isGone) items.remove(slot);
  });
  return { items, postings };
}

/** BM25 as in the book. `found`: how many texts of the scope have a term. */
function naive(text: string[], all: string[][], terms: string[], found: (term: string) => number): number {
  const { k1, b } = profiles.messages;
  const average = all.reduce((sum, other) => sum + other.length, 0) / all.length || 1;
  let score = 0;
  for (const term of terms) {
    const count = text.filter((other) => other === term).length;
    const rarity = Math.log(1 + (all.length - found(term) + 0.5) / (found(term) + 0.5));
    score += (rarity * count * (k1 + 1)) / (count + k1 * (1 - b + (b * text.length) / average) || 1);
  }
  return score;
}

test('scores are those of plain BM25 over what is there, and over each item read with its neighbours', () => {
  fc.assert(
    fc.property(texts, fc.uniqueArray(word, { minLength: 1 }), (all, terms) => {
      const { items, postings } = indexed(all);
      const kept = all.flatMap(({ words, isGone }, slot) => (isGone ? [] : [{ words, slot }]));
      const passages = kept.map((_, i) => kept.slice(Math.max(0, i - 2), i + 3).flatMap(({ words }) => words));
      const found = (term: string) => kept.filter(({ words }) => words.includes(term)).length;
      const profile = profiles.messages;
      const scores = scoreWords({ content: terms, minor: [] }, items, postings, passagesOf(items, profile), profile);
      kept.forEach(({ words, slot }, i) => {
        const plain = kept.map((other) => other.words);
        expect(scores.own[slot]).toBeCloseTo(naive(words, plain, terms, found), 9);
        expect(scores.passage[slot]).toBeCloseTo(naive(passages[i] as string[], passages, terms, found), 9);
      });
    }),
  );
});

test('compacted postings hold what is left', () => {
  const { postings } = indexed([
    { words: ['ash', 'ash', 'elm'], isGone: false },
    { words: ['ash'], isGone: false },
  ]);
  const compacted = finish(postings.compacted(Int32Array.of(-1, 0)));
  expect([...compacted.entries('ash')]).toEqual([1]);
  expect([...compacted.entries('elm')]).toEqual([]);
});
