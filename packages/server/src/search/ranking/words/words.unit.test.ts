import fc from 'fast-check';
import { expect, test } from 'vitest';
import { finish } from '../index-for-test.ts';
import { Items } from '../items.ts';
import { Passages } from '../passages.ts';
import { profiles } from '../profiles.ts';
import { scorePassages } from './passage-words.ts';
import { Postings } from './postings.ts';
import { heldWords, scoreWords } from './words.ts';

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
      const read = new Passages(profile);
      finish(read.refresh(items));
      const { own, lists } = scoreWords({ content: terms, minor: [], isLookUp: false }, items, heldWords(postings), undefined, profile);
      const inPassages = scorePassages(lists, { wanted: items.there, sources: items.there }, items, read, profile);
      kept.forEach(({ words, slot }, i) => {
        const plain = kept.map((other) => other.words);
        expect(own.scores[slot]).toBeCloseTo(naive(words, plain, terms, found), 5);
        expect(inPassages[slot]).toBeCloseTo(naive(passages[i] as string[], passages, terms, found), 5);
      });
    }),
  );
});

test('in a large scope a common word adds to what has a rarer one; alone it makes nobody one of the best', () => {
  const texts = Array.from({ length: 4_000 }, (_, n) => ({ words: n % 3 ? ['elm', 'fir'] : ['ash', 'fir'], isGone: false }));
  const { items, postings } = indexed(texts);
  const terms = { content: ['ash', 'fir'], minor: [], isLookUp: false };
  const ofAll = scoreWords(terms, items, heldWords(postings), undefined, profiles.memories).own;
  const [all, exact] = [ofAll.all().length, ofAll.scores.slice()];
  const { own } = scoreWords(terms, items, heldWords(postings), new Uint8Array(4_000).fill(1), profiles.memories);
  expect(all).toBe(4_000);
  expect(own.all().length).toBe(1_334);
  for (const slot of own.all()) expect(own.scores[slot]).toBe(exact[slot]);
  // Where those with the rare word may be no answers, the others are looked for.
  const others = Uint8Array.from({ length: 4_000 }, (_, n) => (n % 3 ? 1 : 0));
  expect(scoreWords(terms, items, heldWords(postings), others, profiles.memories).own.all().length).toBe(4_000);
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
