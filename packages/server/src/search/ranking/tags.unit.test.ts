import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openPage } from '../segments/pages.ts';
import { TermPageWriter } from '../segments/term-pages.ts';
import { finish } from './index-for-test.ts';
import { type PlacedTags, Tags } from './tags.ts';
import { WEIGHT_BITS } from './words/postings.ts';

const TAGS = ['a', 'b', 'c', 'role:user', 'ü'];
/** The tags of one item after the other. */
const someItems = fc.array(fc.subarray(TAGS), { maxLength: 12 });
const step = fc.oneof(
  fc.record({ do: fc.constant('add' as const), items: someItems }),
  fc.record({ do: fc.constant('append' as const), items: someItems }),
  fc.record({ do: fc.constant('prepare' as const), items: someItems }),
  fc.record({ do: fc.constant('compact' as const), items: someItems }),
);

/** As a segment has them, on pages of a few terms. */
function placedAt(firstSlot: number, items: readonly (readonly string[])[]): PlacedTags {
  const writer = new TermPageWriter('tags', 8);
  for (const tag of TAGS.toSorted()) {
    for (const [slot, tags] of items.entries()) if (tags.includes(tag)) writer.addEntry(slot, 1);
    writer.endTerm(tag);
  }
  const { pages, firstTerms } = writer.finish();
  return { pages: { pages: pages.map((page) => openPage(page)), firstTerms }, firstSlot, slotCount: items.length };
}

const slotsOf = (tags: Tags, tag: string) =>
  tags
    .entriesOf(tag)
    .flatMap((entries) => Array.from(entries, (entry) => entry >>> WEIGHT_BITS))
    .sort((a, b) => a - b);
const slotsIn = (items: readonly (readonly string[])[], tag: string) => items.flatMap((tags, slot) => (tags.includes(tag) ? [slot] : []));

test('whatever came alone or with a segment, was read before or moved, a tag has the slots of its items', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), fc.nat(20), fc.nat(20), (steps, from, length) => {
      let tags = new Tags();
      let items: (readonly string[])[] = [];
      for (const { do: what, items: some } of steps) {
        if (what === 'prepare') finish(tags.prepare(some.flat()));
        else if (what === 'compact') {
          const isKept = items.map((_, slot) => !(some.length > 0 && slot % (some.length + 1) === 0));
          let next = 0;
          tags = finish(tags.compacted(Int32Array.from(isKept, (kept) => (kept ? next++ : -1))));
          items = items.filter((_, slot) => isKept[slot]);
        } else {
          if (what === 'append') tags.append(placedAt(items.length, some));
          else for (const [n, one] of some.entries()) for (const tag of one) tags.add(tag, items.length + n);
          items.push(...some);
        }
        for (const tag of [...TAGS, 'none']) expect(slotsOf(tags, tag)).toEqual(slotsIn(items, tag));
      }
      const between = finish(tags.between(from, from + length));
      const expected = TAGS.toSorted().flatMap((tag) => {
        const slots = slotsIn(items, tag).filter((slot) => slot >= from && slot < from + length);
        return slots.length > 0 ? [{ tag, slots }] : [];
      });
      expect(between).toEqual(expected);
      const whole = tags.atRest([placedAt(0, items)], 0);
      for (const tag of TAGS) expect(slotsOf(whole, tag)).toEqual(slotsIn(items, tag));
    }),
  );
});

test('what many items have is read once, and what few have is not kept', () => {
  const tags = new Tags();
  tags.append(
    placedAt(
      0,
      Array.from({ length: 2_000 }, (_, n) => (n % 2 === 0 ? ['a'] : n === 7 ? ['b'] : [])),
    ),
  );
  const unread = tags.bytes;
  finish(tags.prepare(['a', 'b']));
  expect(tags.bytes).toBe(unread + 1_001 * 4);
  finish(tags.prepare([]));
  expect(tags.bytes).toBe(unread + 1_000 * 4);
});
