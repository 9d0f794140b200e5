import fc from 'fast-check';
import { expect, test } from 'vitest';
import { finish, item, packed, sequence, toward } from './index-for-test.ts';
import type { IndexItem } from './index-item.ts';
import type { IndexQuery } from './index-query.ts';
import { anyMeta, signalQueries, someMeta } from './paged-for-test.ts';
import { EXACT_SCAN_ITEMS } from './profiles.ts';
import { ScopeIndex } from './scope-index.ts';

const WORDS = ['ash', 'birch', 'cedar', 'elm', 'fir', 'Ann:', 'Ben Page:', 'may', '2023', 'the', '日本語', 'two days ago', 'is it?'];

const anyItem = fc.record({
  id: fc.integer({ min: 0, max: 15 }).map((n) => `i${n}`),
  order: fc.integer({ min: 10, max: 30 }).map(String),
  thread: fc.constantFrom('s1', 's2'),
  text: fc.array(fc.constantFrom(...WORDS), { maxLength: 8 }).map((words) => words.join(' ')),
  prefix: fc.option(fc.constantFrom('user', 'fir'), { nil: undefined }),
  vector: fc.option(
    fc.integer({ min: 0, max: 9 }).map((topic) => packed(toward(topic))),
    { nil: undefined },
  ),
  tags: fc.subarray(['role:user', 'role:assistant', 'kind:fact']),
  meta: fc.option(anyMeta, { nil: undefined }),
  time: fc.option(fc.oneof(fc.integer({ min: 0, max: 2e12 }), fc.integer({ min: 1e11, max: 1e11 + 1e8 })), { nil: undefined }),
});
const change = fc.oneof(
  fc.record({ upsert: fc.array(anyItem, { maxLength: 6 }) }),
  fc.record({
    remove: fc.array(
      fc.integer({ min: 0, max: 15 }).map((n) => `i${n}`),
      { maxLength: 6 },
    ),
  }),
  fc.constant('search' as const),
);
const queries: IndexQuery[] = [
  { text: 'ash and the elm', limit: 20, explain: true },
  { text: 'cedar in May', vector: toward(3), limit: 20, explain: true },
  { text: '', vector: toward(1, 2), limit: 20, filter: { allOf: ['role:user'] } },
  { text: 'elm', vector: toward(1, 2), limit: 20, filter: someMeta },
  ...signalQueries,
];
const answers = (index: ScopeIndex) => [...queries.map((query) => index.searcher.search(query)), index.speakers, index.size];

test.for(['messages', 'memories', 'chunks'] as const)(
  '%s: changes one by one give what a fresh build gives, to the last digit',
  (profile) => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 25 }), (changes) => {
        const index = new ScopeIndex(profile);
        const left = new Map<string, IndexItem>();
        for (const step of changes) {
          if (step === 'search') answers(index);
          else if ('upsert' in step) {
            finish(index.upsert(step.upsert));
            for (const one of step.upsert) left.set(one.id, one);
          } else {
            finish(index.remove(step.remove));
            for (const id of step.remove) left.delete(id);
          }
        }
        const fresh = new ScopeIndex(profile);
        finish(fresh.upsert([...left.values()].reverse()));
        expect(answers(index)).toEqual(answers(fresh));
      }),
    );
  },
);

test('scores lie between 0 and 1, best first, and their parts add up', () => {
  fc.assert(
    fc.property(fc.array(anyItem, { maxLength: 16 }), fc.constantFrom(...queries), (items, query) => {
      const index = new ScopeIndex('messages');
      finish(index.upsert(items));
      const hits = index.searcher.search({ ...query, explain: true });
      hits.forEach(({ score, explain }, i) => {
        expect(score).toBeGreaterThan(0);
        expect(score).toBeLessThanOrEqual(hits[i - 1]?.score ?? 1);
        const { signals = {}, ...parts } = explain ?? {};
        const all = [...Object.values(parts), ...Object.values(signals)];
        expect(all.reduce((sum, part) => sum + part, 0)).toBeCloseTo(score, 9);
        expect(Math.min(...Object.values(parts))).toBeGreaterThanOrEqual(0);
      });
      expect(new Set(hits.map(({ id }) => id)).size).toBe(hits.length);
    }),
  );
});

test('what is removed or rewritten is not found any more', () => {
  const index = new ScopeIndex('memories');
  finish(index.upsert([item('likes tea', { id: 'a', vector: packed(toward(1)) }), item('likes coffee', { id: 'b' })]));
  finish(index.upsert([item('plays chess', { id: 'b' })]));
  expect(index.searcher.search({ text: 'coffee', limit: 5 })).toEqual([]);
  finish(index.remove(['a', 'unknown']));
  expect(index.searcher.search({ text: 'tea', vector: toward(1), limit: 5 })).toEqual([]);
  expect(index.searcher.search({ text: 'chess', limit: 5 }).map(({ id }) => id)).toEqual(['b']);
  finish(index.remove(['b']));
  expect(index.size).toBe(0);
});

test('memory is given back after removals', () => {
  const index = new ScopeIndex('chunks');
  const items = Array.from({ length: 2_000 }, (_, i) => item(`text number${i} of many`, { id: `${i}`, vector: packed(toward(i % 60)) }));
  finish(index.upsert(items));
  const full = index.bytes;
  finish(index.remove(items.slice(50).map(({ id }) => id)));
  expect(index.bytes).toBeLessThan(full / 10);
  expect(index.searcher.search({ text: 'number7', limit: 1 })[0]?.id).toBe('7');
});

test('filters apply before the best are chosen', () => {
  const index = new ScopeIndex('messages');
  const many = Array.from({ length: 50 }, (_, i) => item('red apple', { id: `n${i}`, tags: ['role:assistant'], time: 1_000 + i }));
  const few = [
    item('an apple tree, far off', { id: 'x', tags: ['role:user', 'label:a=1'], time: 10 }),
    item('apple', { id: 'y', tags: ['role:user'] }),
  ];
  finish(index.upsert([...many, ...few]));
  const ids = (filter: IndexQuery['filter'], limit = 3) => index.searcher.search({ text: 'red apple', limit, filter }).map(({ id }) => id);
  expect(ids({ allOf: ['role:user', 'label:a=1'] })).toEqual(['x']);
  expect(ids({ anyOf: [['role:user', 'role:tool']] }).sort()).toEqual(['x', 'y']);
  expect(ids({ anyOf: [['role:user'], ['label:a=1', 'label:a=2']] })).toEqual(['x']);
  expect(ids({ anyOf: [[]] })).toEqual([]);
  expect(ids({ allOf: ['role:nobody'] })).toEqual([]);
  expect(ids({ until: 10 })).toEqual(['x']);
  expect(ids({ since: 1_049 })).toEqual(['n49']);
  expect(ids({ since: 1_010, until: 1_012 }).sort()).toEqual(['n10', 'n11', 'n12']);
});

test('minScore leaves out the weak ones', () => {
  const index = new ScopeIndex('memories');
  finish(index.upsert([item('green tea with honey'), item('black tea'), item('a walk')]));
  const all = index.searcher.search({ text: 'green tea with honey', limit: 5 });
  expect(all).toHaveLength(2);
  const [best, second] = all.map(({ score }) => score) as [number, number];
  expect(best).toBeGreaterThan(second);
  expect(index.searcher.search({ text: 'green tea with honey', limit: 5, minScore: (best + second) / 2 })).toEqual(all.slice(0, 1));
  expect(index.searcher.search({ text: 'green tea with honey', limit: 5, minScore: second })).toEqual(all);
});

test('speakers are learned from texts that begin with a name, and forgotten', () => {
  const index = new ScopeIndex('messages');
  const talk = ['Ann: hello', 'Dr. Müller: good day', 'Ann: how are you', 'Dr. Müller: fine', 'Note: a remark', 'http://x.y: no'];
  finish(index.upsert(talk.map((text) => item(text))));
  expect(index.speakers).toEqual(['Ann', 'Dr. Müller']);
  finish(index.remove(['Ann: hello']));
  expect(index.speakers).toEqual(['Dr. Müller']);
});

test('a large scope: the fast pass finds what the slow one would, whatever was there before', () => {
  const random = sequence(1);
  const count = EXACT_SCAN_ITEMS + 2_000;
  const vectorOf = (topic: number) => packed(toward(topic).map((component) => component + (random() - 0.5) * 0.2));
  const items = Array.from({ length: count }, (_, i) =>
    item(`note ${i % 97}`, { id: `${i}`, vector: vectorOf(i % 64), tags: i % 49 === 0 ? ['rare'] : [] }),
  );
  const index = new ScopeIndex('chunks');
  finish(index.upsert(items));
  index.searcher.search({ text: '', vector: toward(5), limit: 10 });
  finish(index.upsert(Array.from({ length: 3_000 }, (_, i) => item('passing', { id: `p${i}`, vector: vectorOf(7) }))));
  index.searcher.search({ text: '', vector: toward(5), limit: 10 });
  finish(index.remove(Array.from({ length: 3_000 }, (_, i) => `p${i}`)));
  const fresh = new ScopeIndex('chunks');
  finish(fresh.upsert([...items].reverse()));
  for (const filter of [undefined, { allOf: ['rare'] }]) {
    const query = { text: '', vector: toward(5), limit: 10, filter };
    const hits = index.searcher.search(query);
    expect(hits).toEqual(fresh.searcher.search(query));
    expect(hits.filter(({ id }) => Number(id) % 64 === 5).length).toBe(filter ? 7 : 10);
    expect(hits.every(({ id }) => !filter || Number(id) % 49 === 0)).toBe(true);
  }
});
