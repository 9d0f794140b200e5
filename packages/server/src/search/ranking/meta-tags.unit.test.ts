import type { Where } from '@commonplace/contract/where';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyMetaObject, anyWhere, matchesWhere } from '../../../test/meta-filters.ts';
import { finish, item, packed, toward } from './index-for-test.ts';
import { metaTagGroups, metaTags } from './meta-tags.ts';
import { ScopeIndex } from './scope-index.ts';

const found = (index: ScopeIndex, where: Where) =>
  index.searcher
    .search({ text: 'tea', vector: toward(1), limit: 100, filter: { anyOf: metaTagGroups(where) } })
    .map(({ id }) => Number(id))
    .sort((a, b) => a - b);

test('a search with a filter finds what a plain predicate does', () => {
  fc.assert(
    fc.property(fc.array(anyMetaObject, { maxLength: 30 }), fc.array(anyWhere, { minLength: 1, maxLength: 5 }), (metas, wheres) => {
      const index = new ScopeIndex('messages');
      finish(index.upsert(metas.map((meta, n) => item('tea', { id: String(n), meta: JSON.stringify(meta), vector: packed(toward(1)) }))));
      for (const where of wheres) {
        const expected = [...metas.entries()].filter(([, meta]) => matchesWhere(JSON.parse(JSON.stringify(meta)), where)).map(([n]) => n);
        expect(found(index, where)).toEqual(expected);
      }
    }),
  );
});

test('tags are short, whatever they say, and as many as there are values one level deep', () => {
  const meta = { long: 'x'.repeat(60_000), list: [1, 'b', [2], { c: 3 }, null], nested: { d: 4 }, empty: [], ['__proto__']: 5 };
  const tags = metaTags(JSON.stringify(meta));
  expect(tags).toHaveLength(5);
  expect(tags.every((tag) => /^[\w-]{22}$/.test(tag))).toBe(true);
  expect(metaTags('[1]')).toEqual([]);
  expect(metaTags('null')).toEqual([]);
});

test('items without meta take no more than before, others what their tags take', () => {
  const bytesOf = (meta: (n: number) => string | undefined) => {
    const index = new ScopeIndex('messages');
    finish(index.upsert(Array.from({ length: 2_000 }, (_, n) => item('tea', { id: String(n), tags: ['role:user'], meta: meta(n) }))));
    return index.bytes / 2_000;
  };
  const without = bytesOf(() => undefined);
  // Lists have room for the next power of two.
  expect(bytesOf((n) => JSON.stringify({ topic: `t${n % 10}`, priority: n % 3 })) - without).toBeLessThan(24);
  expect(bytesOf((n) => JSON.stringify({ requestId: `r${n}` })) - without).toBeLessThan(150);
});
