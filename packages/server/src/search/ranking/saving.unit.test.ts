import { expect, test } from 'vitest';
import { finish, item, packed, toward } from './index-for-test.ts';
import type { IndexItem } from './index-item.ts';
import type { SavePlan } from './saving.ts';
import { ScopeIndex } from './scope-index.ts';

const SEGMENT = 'a segment';

function newIndex(): { index: ScopeIndex; items: IndexItem[] } {
  const items = [1, 2, 3].map((n) => item(`word${n}`, { id: `${n}`, version: 1, vector: packed(toward(n)) }));
  const index = new ScopeIndex('chunks');
  finish(index.upsert(items));
  return { index, items };
}

const keptOf = (index: ScopeIndex) => finish(index.planSave([{ id: SEGMENT, items: 3 }]))?.kept.map(({ id }) => id);

function save(index: ScopeIndex, meanwhile = () => {}): void {
  const plan = finish(index.planSave([])) as SavePlan;
  meanwhile();
  index.noteSaved(plan, [SEGMENT]);
}

test('what has another version or vector with the same text is written again', () => {
  const changes: ((index: ScopeIndex, one: IndexItem) => void)[] = [
    (index, one) => finish(index.upsert([{ ...one, version: 2 }])),
    (index, one) => finish(index.upsert([{ ...one, vector: undefined }])),
  ];
  for (const change of changes) {
    const { index, items } = newIndex();
    save(index);
    finish(index.upsert(items));
    expect(keptOf(index)).toEqual([SEGMENT]);
    change(index, items[1] as IndexItem);
    expect(keptOf(index)).toEqual([]);
  }
});

test('a vector that comes for what was saved without one is written', () => {
  const { index, items } = newIndex();
  const [one] = items as [IndexItem];
  finish(index.upsert([{ ...one, vector: undefined, isRefused: true }]));
  save(index);
  expect(keptOf(index)).toEqual([SEGMENT]);
  index.setVector(one.id, 1, one.vector);
  expect(keptOf(index)).toEqual([]);
});

test('what changes while it is being saved counts as not saved', () => {
  const { index, items } = newIndex();
  save(index, () => finish(index.upsert([{ ...(items[1] as IndexItem), version: 2 }])));
  expect(keptOf(index)).toEqual([]);
  save(index);
  expect(keptOf(index)).toEqual([SEGMENT]);
});
