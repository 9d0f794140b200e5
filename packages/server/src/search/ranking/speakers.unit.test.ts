import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Speakers } from './speakers.ts';

const NAMES = ['Ann', 'Ben Page', 'Cy', undefined];
const anySaid = fc.array(fc.record({ thread: fc.nat(2), name: fc.constantFrom(...NAMES) }), { maxLength: 40 });

function said(all: readonly { thread: number; name: string | undefined }[]): Speakers {
  const speakers = new Speakers();
  for (const [slot, { thread, name }] of all.entries()) speakers.add(slot, thread, `${name === undefined ? '' : `${name}: `}hello`);
  return speakers;
}

test('whatever comes and goes, as many speak as if only what is left had come', () => {
  fc.assert(
    fc.property(anySaid, fc.array(fc.nat(39)), (all, gone) => {
      const speakers = said(all);
      const removed = new Set(gone.filter((slot) => slot < all.length));
      for (const slot of removed) speakers.remove(slot, all[slot]?.thread ?? 0);
      const left = all.filter((_, slot) => !removed.has(slot));
      let next = 0;
      const newSlots = Int32Array.from(all, (_, slot) => (removed.has(slot) ? -1 : next++));
      const fresh = said(left);
      for (const some of [speakers, speakers.compacted(newSlots, (slot) => left[slot]?.thread ?? 0)]) {
        expect(some.names()).toEqual(fresh.names());
        for (const thread of [0, 1, 2, 3]) {
          const regulars = NAMES.filter((name) => name && left.filter((one) => one.thread === thread && one.name === name).length >= 2);
          expect(some.isOfTwo(thread)).toBe(regulars.length <= 2);
        }
      }
    }),
  );
});

test('a name is found by the number of those texts that begin with it, in all its spellings', () => {
  const speakers = said(['Ann', 'ANN', 'Ben Page', 'Ann', 'ANN', 'Ben Page'].map((name) => ({ thread: 0, name })));
  const ofTexts = (text: string) => [0, 1, 2].filter((slot) => speakers.findNamed(text).has(speakers.numberOf(slot)));
  expect(ofTexts('What did Ann say?')).toEqual([0, 1]);
  expect(ofTexts('What did Ben say?')).toEqual([2]);
  expect(ofTexts('On which page?')).toEqual([]);
  expect(ofTexts('What did Ann say to Ben?')).toEqual([]);
});

test('who speaks once, or begins few lines of many, is no speaker', () => {
  const lines = (name: string, count: number) => Array.from({ length: count }, () => ({ thread: 0, name: name || undefined }));
  expect(said([...lines('Ann', 2), ...lines('Ben', 1)]).names()).toEqual(['Ann']);
  expect(said([...lines('Note', 2), ...lines('', 30)]).names()).toEqual([]);
  expect(said([...lines('Note', 4), ...lines('', 30)]).names()).toEqual(['Note']);
});

test('three who speak again and again are not two, until one of them has a single text left', () => {
  const all = ['Ann', 'Ben', 'Cy', 'Ann', 'Ben', 'Cy', 'Ann'].map((name) => ({ thread: 0, name }));
  const speakers = said(all);
  expect(speakers.isOfTwo(0)).toBe(false);
  speakers.remove(0, 0);
  expect(speakers.isOfTwo(0)).toBe(false);
  speakers.remove(3, 0);
  expect(speakers.isOfTwo(0)).toBe(true);
});
