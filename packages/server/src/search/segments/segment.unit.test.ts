import fc from 'fast-check';
import { expect, test } from 'vitest';
import { finish, packed, toward } from '../ranking/index-for-test.ts';
import type { IndexItem } from '../ranking/index-item.ts';
import type { IndexQuery } from '../ranking/index-query.ts';
import { anyMeta, signalQueries, someMeta } from '../ranking/paged-for-test.ts';
import type { ProfileName } from '../ranking/profiles.ts';
import { ScopeIndex } from '../ranking/scope-index.ts';
import { mergeSegments } from './merging.ts';
import { openPage, type Page, SEGMENT_FORMAT, sealPage, UnusableSegment } from './pages.ts';
import { eraseItems, holdsAny, withoutItems } from './rewriting.ts';
import { decodeSegment, encodeSegment, readHeader } from './segment.ts';
import { findList, pageOfTerm, readEntries } from './term-pages.ts';

const MODEL = 'a model';
const WORDS = ['ash', 'birch', 'cedar', 'elm', 'Ann: said', 'Ben Page: said', 'is it?', 'may', '2023', 'the', '日本語', 'c++', 'naïve'];
const uuid = (n: number) => `0190a0b0-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;

/** Ids of all kinds: of messages, of chunks, and others. */
const anyItem: fc.Arbitrary<IndexItem> = fc
  .record({
    kind: fc.constantFrom('uuid', 'numbered', 'other'),
    n: fc.integer({ min: 0, max: 15 }),
    thread: fc.constantFrom(uuid(900), uuid(901), 's:1'),
    text: fc.array(fc.constantFrom(...WORDS), { maxLength: 8 }).map((words) => words.join(' ')),
    prefix: fc.option(fc.constantFrom('user', 'fir'), { nil: undefined }),
    version: fc.integer({ min: 1, max: 9 }),
    vector: fc.option(
      fc.integer({ min: 0, max: 9 }).map((topic) => packed(toward(topic))),
      { nil: undefined },
    ),
    tags: fc.subarray(['role:user', 'role:assistant', 'kind:fact', 'label:["ü","\\u0000"]']),
    meta: fc.option(anyMeta, { nil: undefined }),
    time: fc.option(fc.oneof(fc.integer({ min: 0, max: 2e12 }), fc.integer({ min: 1e11, max: 1e11 + 1e8 })), { nil: undefined }),
    end: fc.option(fc.integer({ min: 0, max: 2e12 }), { nil: undefined }),
  })
  .map(({ kind, n, ...rest }) => {
    const item = { ...rest, isRefused: rest.vector === undefined };
    if (kind === 'uuid') return { ...item, id: uuid(n), order: uuid(n) };
    if (kind === 'other') return { ...item, id: `ö${n}`, order: String(99 - n) };
    return { ...item, id: `${item.thread}:${n}`, order: String(n).padStart(8, '0') };
  });

const queries: IndexQuery[] = [
  { text: 'ash and the elm, naive 日本', limit: 40, explain: true },
  { text: 'cedar in May', vector: toward(3), limit: 40, explain: true },
  { text: 'c++', vector: toward(1, 2), limit: 40, filter: { allOf: ['role:user'], endsAfter: 1e12 } },
  { text: 'birch', vector: toward(2), limit: 40, filter: { anyOf: [['kind:fact', 'label:["ü","\\u0000"]']], since: 1e11 } },
  { text: 'birch', vector: toward(2), limit: 40, filter: someMeta },
  ...signalQueries,
];

function answers(index: ScopeIndex) {
  const hits = queries.map((query) => index.searcher.search(query));
  const held = hits.flat().map(({ id }) => index.held(id));
  return { hits, held, speakers: index.speakers, size: index.size, waiting: index.vectorlessCount };
}

function indexOf(profile: ProfileName, items: readonly IndexItem[]): ScopeIndex {
  const index = new ScopeIndex(profile);
  finish(index.upsert(items));
  return index;
}

const settledSlots = (index: ScopeIndex) => finish(index.planSave([]))?.parts[0] ?? new Uint32Array();

/** As if it had been stored and read again, at a place of memory that is not aligned. */
function encoded(index: ScopeIndex): Page[] {
  const pages = finish(encodeSegment(finish(index.contents(settledSlots(index), MODEL))));
  return pages.map((page) => {
    const bytes = Buffer.alloc(page.bytes.length + 3).subarray(3);
    bytes.set(page.bytes);
    return { ...page, bytes };
  });
}

const someItems = fc.uniqueArray(anyItem, { maxLength: 24, selector: ({ id }) => id });
const anyProfile = fc.constantFrom<ProfileName>('messages', 'memories', 'chunks');

test('an index that is loaded in parts answers as one that is built item by item, to the last digit', () => {
  fc.assert(
    fc.property(anyProfile, someItems, someItems, fc.integer({ min: 1, max: 8 }), (profile, items, later, most) => {
      const built = indexOf(profile, items);
      const loaded = new ScopeIndex(profile);
      for (let from = 0; from < items.length; from += most) {
        const slots = Uint32Array.from({ length: Math.min(most, items.length - from) }, (_, i) => from + i);
        const pages = finish(encodeSegment(finish(built.contents(slots, MODEL))));
        finish(loaded.append(decodeSegment(pages.toReversed())));
      }
      expect(answers(loaded)).toEqual(answers(built));
      // It goes on as the other does: edits, deletions, and threads that go.
      for (const index of [built, loaded]) {
        finish(index.upsert(later));
        finish(index.remove(items.slice(0, 5).map(({ id }) => id)));
        finish(index.remove(index.idsOfThread('s:1')));
      }
      expect(answers(loaded)).toEqual(answers(built));
    }),
  );
});

test('segments that are merged, without what is gone, are those of an index that never had it', () => {
  fc.assert(
    fc.property(anyProfile, someItems, fc.func(fc.boolean()), fc.nat(24), (profile, items, isKept, cut) => {
      const parts = [items.slice(0, cut), items.slice(cut)].map((some) => decodeSegment(encoded(indexOf(profile, some))));
      const kept = [items.slice(0, cut), items.slice(cut)].map((some) => Uint8Array.from(some, ({ id }) => (isKept(id) ? 1 : 0)));
      const [one, other] = parts.map((contents, i) => ({ contents, kept: kept[i] as Uint8Array }));
      if (!one || !other) throw new Error('Two parts');
      const pages = finish(encodeSegment(finish(mergeSegments([one, other]))));
      const left = items.filter(({ id }) => isKept(id));
      const loaded = new ScopeIndex(profile);
      finish(loaded.append(decodeSegment(pages)));
      expect(answers(loaded)).toEqual(answers(indexOf(profile, left)));
      // Nothing is left of the others: the bytes are those of a segment that was made without them.
      expect(pages).toEqual(finish(encodeSegment(finish(indexOf(profile, left).contents(settledSlots(indexOf(profile, left)), MODEL)))));
    }),
  );
});

test('a segment from which items were erased in place is as one that never had them, but for their slots', () => {
  const erase = (pages: readonly Page[], ids: readonly string[]) => {
    const { changed } = eraseItems(pages, { threads: [], ids });
    const at = ({ kind, number }: Page) => `${kind} ${number}`;
    const others = new Map(changed.map((page) => [at(page), page]));
    expect(pages.filter((page) => others.has(at(page)))).toHaveLength(changed.length);
    return pages.map((page) => others.get(at(page)) ?? page);
  };
  fc.assert(
    fc.property(anyProfile, someItems, someItems, fc.func(fc.nat(2)), (profile, items, later, when) => {
      const ids = (turn: number) => items.filter(({ id }) => when(id) === turn).map(({ id }) => id);
      const pages = erase(erase(encoded(indexOf(profile, items)), ids(1)), ids(2));
      const left = items.filter(({ id }) => when(id) === 0);
      const [loaded, built] = [new ScopeIndex(profile), indexOf(profile, left)];
      finish(loaded.append(decodeSegment(pages)));
      expect(answers(loaded)).toEqual(answers(built));
      expect(readHeader(pages[0] as Page)).toMatchObject({ itemCount: items.length, heldCount: left.length });
      expect(holdsAny(pages, { threads: [], ids: [...ids(1), ...ids(2)] })).toBe(false);
      // Written anew it is the same as one that never had them.
      const { pages: rewritten } = withoutItems(pages, { threads: [], ids: [] });
      expect(rewritten).toEqual(finish(encodeSegment(finish(built.contents(settledSlots(built), MODEL)))));
      for (const index of [built, loaded]) {
        finish(index.upsert(later));
        finish(index.remove(items.slice(0, 5).map(({ id }) => id)));
      }
      expect(answers(loaded)).toEqual(answers(built));
    }),
  );
});

test('of what is erased nothing is left: no word, tag, name, id or vector', () => {
  const one = { thread: uuid(900), order: 'third', version: 1, tags: ['tag:zebu'], vector: packed(toward(1)) };
  const items: IndexItem[] = [
    { ...one, id: 'id-of-zebu', order: 'order-of-zebu', text: 'Zelda: zebus aardvark' },
    ...[1, 2, 3].map((n) => ({ ...one, id: uuid(n), thread: uuid(901), order: uuid(n), tags: ['tag:okapi'], text: 'Ann: okapi' })),
  ];
  const pages = encoded(indexOf('messages', items));
  const { changed, ...left } = eraseItems(pages, { threads: [uuid(900)], ids: [] });
  const after = pages.map((page) => changed.find(({ kind, number }) => kind === page.kind && number === page.number) ?? page);
  const holds = (some: readonly Page[], text: string) => some.some(({ bytes }) => Buffer.from(bytes).includes(text));
  for (const text of ['zebu', 'aardvark', 'Zelda', 'id-of', 'order-of', uuid(900)])
    expect([holds(pages, text), holds(after, text)]).toEqual([true, false]);
  expect(holds(after, 'okapi')).toBe(true);
  expect(left).toMatchObject({ items: 3, slots: 4, bytes: after.reduce((sum, { bytes }) => sum + bytes.length, 0) });
  const { vectors } = decodeSegment(after);
  expect([vectors.scales[0], vectors.rows.subarray(0, 64).some((component) => component !== 0)]).toEqual([0, false]);
  // Of pages in which nothing of it stood, none is written again.
  const many = Array.from({ length: 3000 }, (_, n): IndexItem => {
    return { id: uuid(n), order: uuid(n), thread: 'one', text: `all word${n} more${n}x other${n}y`, tags: [], isRefused: true };
  });
  const all = encoded(indexOf('memories', many));
  const fewer = eraseItems(all, { threads: [], ids: [uuid(7)] });
  expect(fewer.changed.length).toBeLessThan(all.length);
  expect(pageOfTerm(readHeader(fewer.changed.at(-1) as Page).firstWords, 'word2999')).toBeDefined();
});

test('the list of a term is read from one page', () => {
  const items = Array.from({ length: 3000 }, (_, n): IndexItem => {
    const text = `all ${n % 3 ? '' : 'third third'} word${n} more${n}x other${n}y ${n % 1000 ? '' : 'zebu'}`;
    return { id: uuid(n), order: uuid(n), thread: 'one', text, tags: [], isRefused: true };
  });
  const pages = encoded(indexOf('memories', items));
  const header = readHeader(pages[0] as Page);
  expect(header.firstWords.length).toBeGreaterThan(1);
  const read = (term: string) => {
    const number = pageOfTerm(header.firstWords, term);
    const page = pages.find((one) => one.kind === 'words' && one.number === number);
    const found = page && findList(openPage(page), Buffer.from(term));
    if (!found) return undefined;
    const entries: [slot: number, weight: number][] = [];
    readEntries(found.list, (slot, weight) => entries.push([slot, weight]));
    expect(entries).toHaveLength(found.count);
    return entries;
  };
  expect(read('zebu')).toEqual([0, 1000, 2000].map((slot) => [slot, 1]));
  expect(read('third')).toHaveLength(1000);
  expect(read('third')?.[7]).toEqual([21, 2]);
  expect(read('word2999')).toEqual([[2999, 1]]);
  expect(header.commonWords).toEqual([
    ['all', 3000],
    ['third', 1000],
  ]);
  expect(read('nowhere')).toBeUndefined();
  expect(read('')).toBeUndefined();
});

test('a segment waits for the vectors of its items', () => {
  const items = [1, 2, 3].map(
    (n): IndexItem => ({ id: uuid(n), order: uuid(n), thread: 'one', text: `w${n}`, tags: [], isRefused: n !== 3 }),
  );
  expect(decodeSegment(encoded(indexOf('messages', items))).items.times).toHaveLength(2);
});

test('what was damaged, cut or written by another program is refused', () => {
  const pages = encoded(indexOf('messages', [{ id: 'a', order: 'a', thread: 't', text: 'some words', tags: ['x'], isRefused: true }]));
  expect(() => decodeSegment(pages.slice(1))).toThrow(UnusableSegment);
  expect(() => decodeSegment(pages.slice(0, -1))).toThrow(UnusableSegment);
  for (const [at, page] of pages.entries()) {
    for (let byte = 0; byte < page.bytes.length; byte += 5) {
      const bytes = new Uint8Array(page.bytes);
      bytes[byte] = (bytes[byte] as number) ^ 64;
      const read = () => {
        const segment = decodeSegment(pages.with(at, { ...page, bytes }));
        finish(new ScopeIndex('messages').append(segment));
      };
      expect(read).toThrow(UnusableSegment);
    }
  }
  const another = sealPage('header', 0, new Uint8Array((pages[0] as Page).bytes));
  new DataView(another.bytes.buffer).setUint16(4, SEGMENT_FORMAT + 1, true);
  expect(() => readHeader(another)).toThrow(UnusableSegment);
});
