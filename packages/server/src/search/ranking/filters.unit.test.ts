import fc from 'fast-check';
import { expect, test } from 'vitest';
import { passesFilter, type SearchFilter } from './filters.ts';
import { finish, item } from './index-for-test.ts';
import { ScopeIndex } from './scope-index.ts';

const tag = fc.constantFrom('a', 'b', 'c');
const time = fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined });
const filter: fc.Arbitrary<SearchFilter> = fc.record(
  {
    allOf: fc.array(tag, { maxLength: 2 }),
    anyOf: fc.array(fc.array(tag, { maxLength: 2 }), { maxLength: 2 }),
    since: time,
    until: time,
    endsAfter: time,
  },
  { requiredKeys: [] },
);

test('one item passes a filter just where a search finds it', () => {
  const items = fc.array(fc.record({ tags: fc.uniqueArray(tag), time, end: time }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(items, filter, (some, asked) => {
      const all = some.map((given, i) => item('tea', { id: `${i}`, ...given }));
      const index = new ScopeIndex('memories');
      finish(index.upsert(all));
      const found = index.searcher.search({ text: 'tea', limit: 100, filter: asked }).map(({ id }) => id);
      expect(found.sort()).toEqual(
        all
          .filter((one) => passesFilter(one, asked))
          .map(({ id }) => id)
          .sort(),
      );
    }),
  );
});
