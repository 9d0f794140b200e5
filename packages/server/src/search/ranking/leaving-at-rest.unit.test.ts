/** What is in memory whole is left at rest in its place, once it is stored. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodePaged, encodeSegment } from '../segments/segment.ts';
import type { PlacedSegment } from './appending.ts';
import { finish, packed, toward } from './index-for-test.ts';
import type { IndexItem } from './index-item.ts';
import type { IndexQuery } from './index-query.ts';
import { PageCache } from './page-cache.ts';
import { type AtRest, anyProfile, loadInParts, MODEL, queries, rounded, search, someItems, uuid } from './paged-for-test.ts';
import type { ScopeIndex } from './scope-index.ts';

/** Stores all that is in memory whole, as a save does. */
function storeTail(
  index: ScopeIndex,
  atRest: AtRest,
  pagedItems: readonly { id: string; items: number }[],
  name = 'tail',
): PlacedSegment[] {
  const plan = finish(index.planSave(pagedItems));
  if (!plan) throw new Error('There is nothing to save');
  const ids = [...plan.parts.keys()].map((part) => `${name} ${part}`);
  const stored = ids.map((id, part) => {
    const contents = finish(index.planned(plan, part, MODEL));
    if (!contents) throw new Error('Nothing is planned');
    const pages = finish(encodeSegment(contents));
    atRest.pages.set(id, pages);
    const segment = decodePaged(pages);
    return { id, segment, tags: finish(segment.tagPages()) };
  });
  index.noteSaved(plan, ids);
  return stored;
}

const asAvailable = (stored: readonly PlacedSegment[]) => stored.map(({ id, segment }) => ({ id, items: segment.header.heldCount }));

function itemOf(n: number, rest: Partial<IndexItem> = {}): IndexItem {
  const vector = packed(toward(n));
  return { id: uuid(n), order: uuid(n), thread: uuid(900), text: `ash w${n}`, tags: [], version: 1, vector, ...rest };
}

/** Two at rest, and two in memory that are stored too. */
function newIndex() {
  const { index, atRest } = loadInParts('memories', [itemOf(1), itemOf(2)], 2, 1);
  const tail = [itemOf(3), itemOf(4)];
  finish(index.upsert(tail));
  atRest.keep(tail);
  const first = { id: 'segment 0', items: 2 };
  return { index, atRest, first, stored: storeTail(index, atRest, [first]) };
}

test('it is found as before, and so is what comes and goes later', () => {
  fc.assert(
    fc.property(anyProfile, someItems, someItems, someItems, (profile, items, tail, later) => {
      fc.pre(items.length > 0);
      const { index: built } = loadInParts(profile, items, 30, 0);
      const { index, atRest } = loadInParts(profile, items, 30, 1);
      const added = tail.filter(({ id }) => !items.some((one) => one.id === id));
      for (const one of [built, index]) finish(one.upsert(added));
      atRest.keep(added);
      const first = { id: 'segment 0', items: items.length };
      const stored = storeTail(index, atRest, [first]);
      expect(index.leaveAtRest(stored)).toBe(true);
      expect(added.every(({ id }) => index.isAtRest(id))).toBe(true);
      expect([index.size, index.vectorlessCount, index.speakers]).toEqual([built.size, built.vectorlessCount, built.speakers]);
      for (const query of queries) expect(rounded(search(index, atRest, query))).toEqual(rounded(built.searcher.search(query)));
      // What is stored is kept, and there is nothing to write.
      const again = finish(index.planSave([first, ...asAvailable(stored)]));
      expect(again?.parts).toEqual([]);
      expect(again?.kept.map(({ id }) => id)).toEqual([first, ...stored].map(({ id }) => id));
      const last = later.filter(({ id }) => ![...items, ...added].some((one) => one.id === id));
      for (const one of [built, index]) finish(one.upsert(last));
      atRest.keep(last);
      for (const query of queries) expect(rounded(search(index, atRest, query))).toEqual(rounded(built.searcher.search(query)));
      const gone = added.filter((_, n) => n % 2 === 0).map(({ id }) => id);
      finish(index.remove(gone));
      for (const query of queries) expect(search(index, atRest, query).filter(({ id }) => gone.includes(id))).toEqual([]);
      const plan = finish(index.planSave([first, ...asAvailable(stored)]));
      expect(plan?.kept.flatMap((kept) => kept.gone)).toHaveLength(gone.length);
    }),
  );
});

test('what went since it was stored is gone, and is named by the next save', () => {
  const { index, atRest, first, stored } = newIndex();
  finish(index.remove([uuid(3)]));
  expect(index.leaveAtRest(stored)).toBe(true);
  expect(index.size).toBe(3);
  expect(search(index, atRest, { text: 'w3', vector: toward(3), limit: 9 }).map(({ id }) => id)).not.toContain(uuid(3));
  expect(finish(index.planSave([first, ...asAvailable(stored)]))?.kept).toEqual([
    { id: first.id, isAtRest: true, gone: [] },
    { id: 'tail 0', isAtRest: true, gone: [0] },
  ]);
});

test.for<[string, (index: ScopeIndex) => void]>([
  ['was edited', (index) => finish(index.upsert([itemOf(3, { text: 'birch', version: 2 })]))],
  ['has another version', (index) => finish(index.upsert([itemOf(3, { version: 2 })]))],
  ['came', (index) => finish(index.upsert([itemOf(5)]))],
])('nothing is left at rest where something %s since it was stored', ([, change]) => {
  const { index, atRest, stored } = newIndex();
  change(index);
  const before = queries.map((query) => search(index, atRest, query));
  expect(index.leaveAtRest(stored)).toBe(false);
  expect(index.isAtRest(uuid(4))).toBe(false);
  expect(queries.map((query) => search(index, atRest, query))).toEqual(before);
});

test('nothing is left at rest by segments of which items were erased, or that are not all', () => {
  const { index, stored } = newIndex();
  expect(index.leaveAtRest([])).toBe(false);
  const [{ segment }] = stored as [PlacedSegment];
  segment.items.idKinds[0] = 255;
  expect(index.leaveAtRest(stored)).toBe(false);
});

test('several segments are left at rest in the order of their slots, also one that was kept', () => {
  const { index, atRest, first, stored } = newIndex();
  const more = Array.from({ length: 9 }, (_, n) => itemOf(10 + n));
  finish(index.upsert(more));
  atRest.keep(more);
  const plan = finish(index.planSave([first, ...asAvailable(stored)]));
  // It is smaller than what is new, and becomes one with it.
  expect(plan?.kept.map(({ id }) => id)).toEqual([first.id]);
  const contents = finish(
    index.contents(
      Uint32Array.from(more, (_, n) => 4 + n),
      MODEL,
    ),
  );
  const pages = finish(encodeSegment(contents));
  atRest.pages.set('more', pages);
  const segment = decodePaged(pages);
  const newer = { id: 'more', segment, tags: finish(segment.tagPages()) };
  expect(index.leaveAtRest([newer])).toBe(false);
  expect(index.leaveAtRest([newer, ...stored])).toBe(true);
  for (const n of [1, 3, 4, 10, 18]) expect(search(index, atRest, { text: `w${n}`, limit: 1 })[0]?.id).toBe(uuid(n));
});

test('a vector that came since it was stored is waited for again', () => {
  const { index, atRest } = loadInParts('memories', [itemOf(1)], 1, 1);
  finish(index.upsert([itemOf(2, { vector: undefined })]));
  const stored = storeTail(index, atRest, [{ id: 'segment 0', items: 1 }]);
  index.setVector(uuid(2), 1, packed(toward(2)));
  expect(index.vectorlessCount).toBe(0);
  expect(index.leaveAtRest(stored)).toBe(true);
  expect(index.oldestVectorless(9).map(({ id }) => id)).toEqual([uuid(2)]);
});

test('a search under way finds what is left at rest meanwhile, by its words and by its vector', () => {
  for (const query of [
    { text: 'w4', limit: 1 },
    { text: 'nothing', vector: toward(4), limit: 1 },
  ] satisfies IndexQuery[]) {
    for (const moment of ['before its candidates', 'after them']) {
      const { index, atRest, stored } = newIndex();
      const begun = index.searcher.beginPagedSearch(query, new PageCache(1e6));
      begun.takePages(begun.pagesToRead().flatMap(({ segmentId, number }) => atRest.read(segmentId, number)));
      if (moment === 'after them') expect(begun.vectorsToRead()).toBeDefined();
      expect(begun.isOutdated).toBe(false);
      expect(index.leaveAtRest(stored)).toBe(true);
      expect(begun.isOutdated).toBe(moment === 'after them');
      const wanted = begun.isOutdated ? begun.vectorsOfCandidates() : begun.vectorsToRead();
      expect(begun.isOutdated).toBe(false);
      const vectors = wanted?.map(({ id }) => [id, atRest.vectors.get(id) as Uint8Array] as const) ?? [];
      expect(index.searcher.hitsOf(begun.rank(vectors), query)[0]?.id, `${query.text} ${moment}`).toBe(uuid(4));
    }
  }
});
