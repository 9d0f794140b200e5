import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Page, sealPage, UnusableSegment } from '../segments/pages.ts';
import { decodePaged, decodeSegment, encodeSegment } from '../segments/segment.ts';
import { finish, packed, sequence, toward } from './index-for-test.ts';
import type { IndexItem } from './index-item.ts';
import type { IndexQuery } from './index-query.ts';
import { PageCache } from './page-cache.ts';
import { AtRest, anyProfile, loadInParts, MODEL, queries, rounded, search, someItems, uuid } from './paged-for-test.ts';
import { READ_CANDIDATES } from './profiles.ts';
import { ScopeIndex } from './scope-index.ts';

const sealed = (size: number) => sealPage('words', 0, new Uint8Array(size)).bytes;

test('what is at rest is found as if it were in memory, with what came later', () => {
  fc.assert(
    fc.property(
      anyProfile,
      someItems,
      someItems,
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 4 }),
      (profile, items, later, most, parts) => {
        const built = new ScopeIndex(profile);
        finish(built.upsert(items));
        const { index, atRest } = loadInParts(profile, items, most, parts);
        const added = later.filter(({ id }) => !items.some((one) => one.id === id));
        finish(built.upsert(added));
        finish(index.upsert(added));
        atRest.keep(added);
        expect(index.size).toBe(built.size);
        expect(index.vectorlessCount).toBe(built.vectorlessCount);
        expect(index.speakers).toEqual(built.speakers);
        for (const query of queries) expect(rounded(search(index, atRest, query))).toEqual(rounded(built.searcher.search(query)));
      },
    ),
  );
});

test('what is edited or deleted is found as it is now, and never twice', () => {
  fc.assert(
    fc.property(anyProfile, someItems, someItems, fc.integer({ min: 1, max: 9 }), (profile, items, edited, most) => {
      const built = new ScopeIndex(profile);
      finish(built.upsert(items));
      const { index, atRest } = loadInParts(profile, items, most, 3);
      const gone = items.filter((_, n) => n % 3 === 0).map(({ id }) => id);
      for (const one of [built, index]) {
        finish(one.upsert(edited));
        finish(one.remove(gone));
      }
      atRest.keep(edited);
      for (const id of gone) atRest.vectors.delete(id);
      expect(index.size).toBe(built.size);
      for (const query of queries) {
        const hits = search(index, atRest, query).map(({ id }) => id);
        expect(new Set(hits).size).toBe(hits.length);
        expect(hits.filter((id) => gone.includes(id))).toEqual([]);
        // The mean of all vectors counts those that went until the segment is written anew: the scores differ, who is found does not.
        if (query.limit > 30 && !query.vector) expect(hits).toEqual(built.searcher.search(query).map(({ id }) => id));
      }
    }),
  );
});

test('a save leaves what is at rest, names what is gone of it, and writes the rest', () => {
  fc.assert(
    fc.property(anyProfile, someItems, fc.uniqueArray(fc.integer({ min: 0, max: 29 })), (profile, items, goneNumbers) => {
      fc.pre(items.length > 1);
      const half = Math.ceil(items.length / 2);
      const { index, atRest } = loadInParts(profile, items, half, 1);
      const gone = goneNumbers.filter((n) => n < half).map((n) => (items[n] as IndexItem).id);
      finish(index.remove(gone));
      const plan = finish(index.planSave([{ id: 'segment 0', items: half }]));
      if (!plan) throw new Error('There is nothing to save');
      expect(plan.kept[0]?.gone.toSorted((a, b) => a - b)).toEqual(goneNumbers.filter((n) => n < half).toSorted((a, b) => a - b));
      const again = new ScopeIndex(profile);
      finish(again.appendPaged(decodePaged(atRest.pages.get('segment 0') as Page[]), 'segment 0', plan.kept[0]?.gone ?? []));
      for (const part of plan.parts.keys()) {
        const contents = finish(index.planned(plan, part, MODEL));
        if (!contents) throw new Error('Nothing is planned');
        finish(again.append(decodeSegment(finish(encodeSegment(contents))), `new ${part}`));
      }
      expect(again.size).toBe(index.size);
      for (const query of queries)
        expect(rounded(search(again, atRest, query)).map(({ id }) => id)).toEqual(
          rounded(search(index, atRest, query)).map(({ id }) => id),
        );
      // Another node replaced what is at rest: there is nothing to go on from.
      expect(finish(index.planSave([{ id: 'another', items: half }]))).toBeUndefined();
    }),
  );
});

test('what waits for its vector at rest has it when it is taken in anew', () => {
  const waiting: IndexItem = { id: uuid(1), order: uuid(1), thread: uuid(900), text: 'ash', tags: [], version: 1 };
  const { index, atRest } = loadInParts('messages', [waiting], 1, 1);
  expect(index.vectorlessCount).toBe(1);
  expect(index.isAtRest(waiting.id)).toBe(true);
  finish(index.upsert([waiting]));
  expect(index.isAtRest(waiting.id)).toBe(true);
  finish(index.upsert([waiting], true));
  expect(index.isAtRest(waiting.id)).toBe(false);
  index.setVector(waiting.id, 1, packed(toward(3)));
  expect(index.vectorlessCount).toBe(0);
  const [hit] = search(index, atRest, { text: 'nothing', vector: toward(3), limit: 1 });
  expect(hit?.id).toBe(waiting.id);
});

test('a search tells when a page is missing or damaged, and goes on when what it found is gone', () => {
  const items = [1, 2, 3].map(
    (n): IndexItem => ({ id: uuid(n), order: uuid(n), thread: uuid(900), text: 'ash', tags: [], version: 1, vector: packed(toward(n)) }),
  );
  const { index, atRest } = loadInParts('memories', items, 3, 1);
  const query: IndexQuery = { text: 'ash', vector: toward(1), limit: 3 };
  expect(index.searcher.beginPagedSearch(query, new PageCache(1e6)).vectorsToRead()).toBeUndefined();
  const [page] = atRest.read('segment 0', 0);
  if (!page) throw new Error('There is no page');
  const damaged = { ...page, bytes: page.bytes.with(9, (page.bytes[9] as number) ^ 1) };
  expect(() => new PageCache(1e6).add(damaged)).toThrow(UnusableSegment);
  const cache = new PageCache(1e6);
  cache.add(page);
  const begun = index.searcher.beginPagedSearch(query, cache);
  expect(begun.pagesToRead()).toEqual([]);
  // What others read meanwhile takes the cache, and not what this search found in it.
  for (let number = 1; number < 100; number++) cache.add({ ...page, number, bytes: sealed(30_000) });
  expect(cache.get({ segmentId: 'segment 0', number: 0 })).toBeUndefined();
  expect(begun.vectorsToRead()).toHaveLength(3);
  // It is taken in anew, as it is: it has another slot, and is an answer still.
  finish(index.upsert([items[2] as IndexItem], true));
  finish(index.remove([uuid(1)]));
  const vectors = [...atRest.vectors];
  expect(index.searcher.hitsOf(begun.rank(vectors), query).map(({ id }) => id)).toEqual(expect.arrayContaining([uuid(2), uuid(3)]));
  expect(index.searcher.hitsOf(begun.rank(vectors), query)).toHaveLength(2);
});

test('the cache of pages keeps to its size', () => {
  const { atRest } = loadInParts('memories', [{ id: uuid(1), order: uuid(1), thread: uuid(900), text: 'ash birch cedar', tags: [] }], 1, 0);
  const [page] = atRest.read('segment 0', 0);
  if (!page) throw new Error('There is no page');
  const size = page.bytes.length;
  const cache = new PageCache(size * 2);
  for (let number = 0; number < 5; number++) {
    cache.add({ ...page, number });
    cache.get({ segmentId: 'segment 0', number: 0 });
    expect(cache.bytes).toBeLessThanOrEqual(size * 2);
  }
  expect(cache.get({ segmentId: 'segment 0', number: 0 })).toBeDefined();
  expect(cache.get({ segmentId: 'segment 0', number: 3 })).toBeUndefined();
});

test('a question reads a bounded number of pages, the rest of its words counts as common', () => {
  const words = Array.from({ length: 300 }, (_, n) => `word${n}`);
  const items = Array.from(
    { length: 60 },
    (_, n): IndexItem => ({ id: uuid(n), order: uuid(n), thread: uuid(900), text: words.join(' '), tags: [], version: 1 }),
  );
  const { index, atRest } = loadInParts('memories', items, 1, 60);
  const query: IndexQuery = { text: words.join(' '), limit: 3 };
  const begun = index.searcher.beginPagedSearch(query, new PageCache(1e6));
  expect(begun.pagesToRead().length).toBeLessThanOrEqual(1024);
  expect(search(index, atRest, query)).toHaveLength(3);
});

test('without a vector the candidates of a scope at rest are its best by words, and not all of it', () => {
  const items = Array.from(
    { length: 2_000 },
    (_, n): IndexItem => ({
      id: uuid(n),
      order: uuid(n),
      thread: uuid(900),
      text: n % 4 ? 'ash' : 'ash birch',
      tags: [],
      version: 1,
      vector: packed(toward(n % 9)),
    }),
  );
  const { index, atRest } = loadInParts('memories', items, 2_000, 1);
  const hits = search(index, atRest, { text: 'birch ash', limit: 10 });
  expect(hits).toHaveLength(10);
  expect(hits.every(({ id }) => Number.parseInt(id.slice(-4), 16) % 4 === 0)).toBe(true);
});

/** A vector of a topic, and a number's own. */
function about(topic: number, number: number): Float32Array {
  const [ofTopic, own] = [sequence(topic + 1), sequence(number + 1_000)];
  return Float32Array.from({ length: 384 }, () => ofTopic() + own() - 1);
}

test.for(['messages', 'chunks'] as const)(
  '%s: of many candidates the vectors of the best are read, and the order is as in memory',
  (profile) => {
    const words = ['ash', 'birch', 'cedar', 'elm', 'fir', 'oak', 'yew'];
    const items = Array.from({ length: 3_000 }, (_, n): IndexItem => {
      const text = [words[n % 7], words[(n * 3) % 5], words[Math.floor(n / 7) % 6]].join(' ');
      const vector = about(n % 300, n);
      return { id: uuid(n), order: uuid(n), thread: uuid(900 + (n % 4)), text, tags: [], version: 1, vector: packed(vector) };
    });
    const built = new ScopeIndex(profile);
    finish(built.upsert(items));
    const { index, atRest } = loadInParts(profile, items, 1_000, 3);
    let same = 0;
    for (let n = 0; n < 20; n++) {
      const vector = Float32Array.from({ length: 64 }, (_, i) => Math.sin(n * 31 + i * (1 + (n % 11))) + Math.cos(n * i * 5));
      const query: IndexQuery = { text: `${words[n % 7]} ${words[(n + 3) % 7]}`, vector, limit: 10 };
      const begun = index.searcher.beginPagedSearch(query, new PageCache(1e6));
      begun.takePages(begun.pagesToRead().flatMap(({ segmentId, number }) => atRest.read(segmentId, number)));
      expect(begun.vectorsToRead()?.length).toBeLessThanOrEqual(3 * READ_CANDIDATES);
      const wanted = new Set(built.searcher.search(query).map(({ id }) => id));
      same += search(index, atRest, query).filter(({ id }) => wanted.has(id)).length;
    }
    expect(same).toBeGreaterThanOrEqual(190);
  },
);

test('room is made for the vectors that are held, and not for those at rest', () => {
  const items = Array.from(
    { length: 500 },
    (_, n): IndexItem => ({
      id: uuid(n),
      order: uuid(n),
      thread: uuid(900),
      text: 'ash',
      tags: [],
      version: 1,
      vector: packed(toward(n % 9)),
    }),
  );
  const atRest = new AtRest();
  atRest.add('one', 'memories', items);
  const index = new ScopeIndex('memories');
  index.reserve(500, 0);
  finish(index.appendPaged(decodePaged(atRest.pages.get('one') as Page[]), 'one', []));
  const before = index.bytes;
  finish(index.upsert([{ ...(items[0] as IndexItem), id: uuid(999), order: uuid(999) }]));
  expect(index.bytes - before).toBeLessThan(25_000);
  // A vector of other dimensions is left out, and does not keep the right ones out.
  finish(index.upsert([{ ...(items[0] as IndexItem), id: uuid(998), order: uuid(998), vector: packed(new Float32Array(128).fill(1)) }]));
  finish(index.upsert([{ ...(items[0] as IndexItem), id: uuid(997), order: uuid(997), text: 'yew', vector: packed(toward(30)) }]));
  atRest.keep([{ ...(items[0] as IndexItem), id: uuid(997), vector: packed(toward(30)) }]);
  expect(search(index, atRest, { text: 'nothing', vector: toward(30), limit: 1 })[0]?.id).toBe(uuid(997));
});
