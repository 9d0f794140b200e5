/** Indexes whose segments are at rest, for tests. */
import fc from 'fast-check';
import type { Page, WordPage } from '../segments/pages.ts';
import { decodePaged, decodeSegment, encodeSegment } from '../segments/segment.ts';
import type { SearchFilter } from './filters.ts';
import { finish, packed, toward } from './index-for-test.ts';
import type { IndexItem } from './index-item.ts';
import type { Hit, IndexQuery } from './index-query.ts';
import { metaTagGroups } from './meta-tags.ts';
import { PageCache } from './page-cache.ts';
import type { ProfileName } from './profiles.ts';
import { ScopeIndex } from './scope-index.ts';

export const MODEL = 'a model';
const WORDS = ['ash', 'birch', 'cedar', 'elm', 'Ann: said', 'Ben Page: said', 'may', 'the', '日本語', 'naïve', 'two days ago', 'is it?'];
export const uuid = (n: number) => `0190a0b0-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;

/** Few keys and values, so that several items have the same. */
export const anyMeta = fc
  .dictionary(
    fc.constantFrom('a', 'b'),
    fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom('0', null), fc.array(fc.integer({ min: 0, max: 3 }))),
  )
  .map((meta) => JSON.stringify(meta));
export const someMeta: SearchFilter = { anyOf: metaTagGroups({ a: [1, 2, '0'], b: [0, 1, 3, null] }) };

const anyItem: fc.Arbitrary<IndexItem> = fc
  .record({
    n: fc.integer({ min: 0, max: 40 }),
    thread: fc.constantFrom(uuid(900), uuid(901)),
    text: fc.array(fc.constantFrom(...WORDS), { maxLength: 8 }).map((words) => words.join(' ')),
    version: fc.integer({ min: 1, max: 9 }),
    vector: fc.option(
      fc.integer({ min: 0, max: 9 }).map((topic) => packed(toward(topic))),
      { nil: undefined },
    ),
    isRefused: fc.boolean(),
    tags: fc.subarray(['role:user', 'role:assistant', 'kind:fact']),
    meta: fc.option(anyMeta, { nil: undefined }),
    time: fc.option(fc.integer({ min: 1e11, max: 1e11 + 1e8 }), { nil: undefined }),
  })
  .map(({ n, ...item }) => ({ ...item, isRefused: item.isRefused && !item.vector, id: uuid(n), order: uuid(n) }));

export const someItems = fc.uniqueArray(anyItem, { maxLength: 30, selector: ({ id }) => id });
export const anyProfile = fc.constantFrom<ProfileName>('messages', 'memories', 'chunks');

/** They ask for a time, a number, what somebody said, what one side said, or what was said on a day. */
export const signalQueries: IndexQuery[] = [
  { text: 'When did Ben say elm?', limit: 40, explain: true },
  { text: 'How many elms did Ann see?', vector: toward(3), limit: 40, explain: true },
  { text: 'Which birch did I see yesterday?', vector: toward(2), limit: 40, explain: true, askedAt: 1e11 + 1.5e8 },
  { text: 'Which cedar did you recommend in March 1973?', vector: toward(1, 2), limit: 40, explain: true },
];

export const queries: IndexQuery[] = [
  { text: 'ash and the elm, naive 日本', limit: 40, explain: true },
  { text: 'cedar in May', vector: toward(3), limit: 40, explain: true },
  { text: 'birch', vector: toward(2), limit: 40, filter: { anyOf: [['kind:fact']], since: 1e11 } },
  { text: 'birch', vector: toward(2), limit: 40, filter: someMeta },
  { text: 'nothing of that', vector: toward(1, 2), limit: 40 },
  ...signalQueries,
];

/** Segments at rest, as a database would give them. */
export class AtRest {
  readonly pages = new Map<string, Page[]>();
  readonly vectors = new Map<string, Uint8Array>();

  add(id: string, profile: ProfileName, items: readonly IndexItem[]): void {
    const index = new ScopeIndex(profile);
    finish(index.upsert(items));
    const slots = Uint32Array.from(items, (_, slot) => slot);
    this.pages.set(id, finish(encodeSegment(finish(index.contents(slots, MODEL)))));
    this.keep(items);
  }

  keep(items: readonly IndexItem[]): void {
    for (const { id, vector } of items) {
      if (vector) this.vectors.set(id, vector);
      else this.vectors.delete(id);
    }
  }

  read(segmentId: string, number: number): WordPage[] {
    const found = this.pages.get(segmentId)?.find((page) => page.kind === 'words' && page.number === number);
    return found ? [{ ...found, segmentId }] : [];
  }
}

export function search(index: ScopeIndex, atRest: AtRest, query: IndexQuery, cache = new PageCache(1e6)): Hit[] {
  if (!index.isPaged) return index.searcher.search(query);
  const begun = index.searcher.beginPagedSearch(query, cache);
  begun.takePages(begun.pagesToRead().flatMap(({ segmentId, number }) => atRest.read(segmentId, number)));
  const wanted = begun.vectorsToRead();
  if (!wanted) throw new Error('Pages are missing');
  const vectors = wanted.map(({ id }) => [id, atRest.vectors.get(id) as Uint8Array] as const);
  return index.searcher.hitsOf(begun.rank(vectors), query);
}

/** Items in segments of `most`, the first `pagedParts` of which are left at rest. */
export function loadInParts(profile: ProfileName, items: readonly IndexItem[], most: number, pagedParts: number) {
  const atRest = new AtRest();
  const index = new ScopeIndex(profile);
  for (let from = 0; from < items.length; from += most) {
    const id = `segment ${from}`;
    atRest.add(id, profile, items.slice(from, from + most));
    const pages = atRest.pages.get(id) as Page[];
    if (from / most < pagedParts) finish(index.appendPaged(decodePaged(pages), id, []));
    else finish(index.append(decodeSegment(pages), id));
  }
  return { index, atRest };
}

/** Sums are made in another order: those that are equal but for the last digit may change places. */
export function rounded(hits: readonly Hit[]) {
  const found = hits.map(({ id, score, explain }) => {
    const signals = Object.entries(explain?.signals ?? {}).map(([name, value]) => `${name} ${value.toFixed(9)}`);
    return { id, score: score.toFixed(9), lexical: explain?.lexical.toFixed(9), signals };
  });
  return found.sort((a, b) => Number(b.score) - Number(a.score) || a.id.localeCompare(b.id));
}
