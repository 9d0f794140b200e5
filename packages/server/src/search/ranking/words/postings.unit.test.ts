import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openPage } from '../../segments/pages.ts';
import { TermPageWriter } from '../../segments/term-pages.ts';
import { finish } from '../index-for-test.ts';
import { Postings } from './postings.ts';
import type { TermPages } from './stored-lists.ts';

const TERMS = ['ash', 'birch', 'ced', 'é', '日本', '\u{1f332}', '\uffee'].sort();

/** By local slot the numbers of its terms. */
type Items = readonly (readonly number[])[];

const weightOf = (slot: number, term: number) => 1 + ((slot + term) % 3);

function pagesOf(items: Items, mostBytes: number): TermPages {
  const writer = new TermPageWriter('words', mostBytes);
  for (const [number, term] of TERMS.entries()) {
    for (const [slot, terms] of items.entries()) if (terms.includes(number)) writer.addEntry(slot, weightOf(slot, number));
    writer.endTerm(term);
  }
  const { pages, firstTerms } = writer.finish();
  return { pages: pages.map(openPage), firstTerms };
}

function addAll(postings: Postings, items: Items, firstSlot: number): void {
  for (const [slot, terms] of items.entries()) {
    for (const number of terms) postings.add(TERMS[number] as string, firstSlot + slot, weightOf(slot, number));
  }
}

const someItems = fc.array(fc.uniqueArray(fc.nat(TERMS.length - 1), { maxLength: 5 }), { maxLength: 12 });
const anyStep = fc.oneof(
  fc.record({ do: fc.constant('append' as const), items: someItems, mostBytes: fc.constantFrom(1, 24, 1000) }),
  fc.record({ do: fc.constant('add' as const), items: someItems }),
  fc.record({ do: fc.constant('read' as const), term: fc.constantFrom(...TERMS, 'fir', '') }),
  fc.record({ do: fc.constant('take' as const), steps: fc.nat(20) }),
  fc.record({ do: fc.constant('takeIfWorth' as const) }),
);

test('lists that are read from pages when they are asked for are those that were added one by one', () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 10 }), (steps) => {
      const [expected, postings] = [new Postings(), new Postings()];
      // Some are left in the middle, and go on at the end.
      const unfinished: Generator<void, void, void>[] = [];
      let slots = 0;
      for (const step of steps) {
        if (step.do === 'read') expect(postings.entries(step.term)).toEqual(expected.entries(step.term));
        if (step.do === 'takeIfWorth') finish(postings.takeIfWorth());
        if (step.do === 'take') {
          const taking = postings.takeAll();
          for (let count = 0; count < step.steps; count++) taking.next();
          unfinished.push(taking);
        }
        if (step.do !== 'append' && step.do !== 'add') continue;
        addAll(expected, step.items, slots);
        if (step.do === 'add') addAll(postings, step.items, slots);
        else postings.append(pagesOf(step.items, step.mostBytes), slots);
        slots += step.items.length;
      }
      for (const taking of unfinished) finish(taking);
      for (const term of TERMS) expect(postings.entries(term)).toEqual(expected.entries(term));
      expect(finish(postings.termsBetween(0, slots))).toEqual(finish(expected.termsBetween(0, slots)));
      const newSlots = Int32Array.from({ length: slots }, (_, slot) => (slot % 3 === 0 ? -1 : slot));
      const compacted = [finish(postings.compacted(newSlots)), finish(expected.compacted(newSlots))] as const;
      for (const term of TERMS) expect(compacted[0].entries(term)).toEqual(compacted[1].entries(term));
    }),
  );
});

test('pages take their own size until their lists are asked for, and are read as a whole once many are', () => {
  const terms = Array.from({ length: 2_000 }, (_, number) => `term${number}`).sort();
  const writer = new TermPageWriter('words', 4096);
  for (const term of terms) {
    for (let slot = 0; slot < 200; slot++) writer.addEntry(slot, 1);
    writer.endTerm(term);
  }
  const { pages, firstTerms } = writer.finish();
  const stored = pages.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const postings = new Postings();
  const emptyBytes = postings.bytes;
  postings.append({ pages: pages.map(openPage), firstTerms }, 0);
  expect(postings.bytes - emptyBytes).toBeLessThanOrEqual(stored);
  expect(postings.entries('term7')).toHaveLength(200);
  expect(postings.entries('nowhere')).toHaveLength(0);
  expect(postings.bytes - emptyBytes).toBeLessThan(stored + 10_000);

  finish(postings.takeIfWorth());
  expect(postings.bytes - emptyBytes).toBeLessThan(stored + 10_000);
  for (const term of terms.slice(0, pages.length + 1)) postings.add(term, 200, 1);
  const takenBytes = postings.bytes;
  finish(postings.takeIfWorth());
  expect(postings.bytes).toBeGreaterThan(takenBytes + 1_000 * 200 * 4);
  for (const [number, term] of terms.entries()) expect(postings.entries(term)).toHaveLength(number <= pages.length ? 201 : 200);
});
