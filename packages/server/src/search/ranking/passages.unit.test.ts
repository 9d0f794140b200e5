import fc from 'fast-check';
import { expect, test } from 'vitest';
import { finish } from './index-for-test.ts';
import { type ItemFacts, Items } from './items.ts';
import { Passages } from './passages.ts';
import { profiles } from './profiles.ts';

const HOUR_MS = 3_600_000;
const profile = profiles.messages;

const anyChange = fc.record({
  does: fc.constantFrom('add', 'add', 'add', 'edit', 'remove', 'look'),
  id: fc.integer({ min: 0, max: 30 }).map((n) => String(n).padStart(4, '0')),
  thread: fc.constantFrom('a', 'b'),
  length: fc.integer({ min: 0, max: 9 }),
  time: fc.option(fc.integer({ min: 0, max: 40 }), { nil: undefined }),
});

test('neighbours and lengths are the same whether they are kept up or worked out anew', () => {
  fc.assert(
    fc.property(fc.array(anyChange, { maxLength: 60 }), (changes) => {
      const items = new Items();
      const passages = new Passages(profile);
      for (const { does, id, thread, length, time } of changes) {
        const slot = items.slotOf(id);
        const facts: ItemFacts = { id, order: id, thread, version: 1, time: time && time * HOUR_MS, fingerprint: 0, length };
        if (does === 'look') finish(passages.refresh(items));
        if (does === 'add' && slot === undefined) passages.noteAdded(items, items.add(facts));
        if (does === 'remove' && slot !== undefined) {
          passages.noteRemoving(items, slot);
          items.remove(slot);
        }
        if (does === 'edit' && slot !== undefined) {
          const place = items.isAt(slot, facts) ? items.placeOf(slot) : undefined;
          passages.noteRemoving(items, slot);
          items.remove(slot);
          passages.noteAdded(items, items.add(facts, place));
        }
      }
      finish(passages.refresh(items));
      const anew = new Passages(profile);
      finish(anew.refresh(items));
      expect(passages.totalLength).toBe(anew.totalLength);
      for (let slot = 0; slot < items.slotCount; slot++) {
        if (!items.isThere(slot)) continue;
        const seen = ({ before, after, lengths }: Passages) => [before[slot], after[slot], lengths[slot]];
        expect(seen(passages)).toEqual(seen(anew));
      }
      for (const thread of ['a', 'b']) {
        const ids = items.slotsOfThread(thread).map((slot) => items.id(slot));
        expect(ids).toEqual(ids.toSorted());
        expect(items.sizeOfThread(thread)).toBe(ids.length);
      }
    }),
  );
});

test('an edit or a message at the end changes a few neighbours, however long the thread is', () => {
  const items = new Items();
  const passages = new Passages(profile);
  const factsOf = (n: number): ItemFacts => ({
    id: String(n).padStart(6, '0'),
    order: String(n).padStart(6, '0'),
    thread: 'a',
    version: 1,
    time: n,
    fingerprint: 0,
    length: 3,
  });
  for (let n = 0; n < 10_000; n++) items.add(factsOf(n));
  expect([...passages.refresh(items)].length).toBeGreaterThan(2);
  passages.noteAdded(items, items.add(factsOf(10_000)));
  const edited = items.slotOf('005000') as number;
  const place = items.placeOf(edited);
  passages.noteRemoving(items, edited);
  items.remove(edited);
  passages.noteAdded(items, items.add({ ...factsOf(5_000), length: 5 }, place));
  // All at once would be in steps.
  expect([...passages.refresh(items)]).toHaveLength(0);
  expect(passages.totalLength).toBe(15 * 10_001 - 2 * 3 * 3 + 5 * 2);
});
