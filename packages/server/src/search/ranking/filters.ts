/** Which items of a scope may be answers at all. */

import type { IndexItem } from './index-item.ts';
import type { Items } from './items.ts';
import type { Tags } from './tags.ts';
import { WEIGHT_BITS } from './words/postings.ts';

export interface SearchFilter {
  /** Every one of these tags. */
  readonly allOf?: readonly string[] | undefined;
  /** Of each group at least one tag. */
  readonly anyOf?: readonly (readonly string[])[] | undefined;
  /** None of these tags. */
  readonly noneOf?: readonly string[] | undefined;
  /** Milliseconds, both included; an item without a time is left out where one of them is given. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Milliseconds: what has not ended by then. */
  readonly endsAfter?: number | undefined;
}

/** What a filter looks at. */
export type Filtered = Pick<IndexItem, 'tags' | 'time' | 'end'>;

/** One item alone, as `filterMask` judges all of a scope. */
export function passesFilter({ tags, time, end }: Filtered, { allOf, anyOf, noneOf, since, until, endsAfter }: SearchFilter): boolean {
  const has = (tag: string) => tags.includes(tag);
  if ((noneOf ?? []).some(has)) return false;
  if (!(allOf ?? []).every(has) || !(anyOf ?? []).every((group) => group.some(has))) return false;
  if (endsAfter !== undefined && end !== undefined && end <= endsAfter) return false;
  if (since === undefined && until === undefined) return true;
  return time !== undefined && time >= (since ?? time) && time <= (until ?? time);
}

/** All tags that a filter names. */
export function* tagsOf(filter: SearchFilter | undefined): Generator<string, void, void> {
  yield* filter?.allOf ?? [];
  for (const group of filter?.anyOf ?? []) yield* group;
  yield* filter?.noneOf ?? [];
}

/** 1 for each slot that may be an answer. Lent until the items change. */
export function filterMask(filter: SearchFilter | undefined, items: Items, tags: Tags): Uint8Array {
  const there = items.there.subarray(0, items.slotCount);
  if (!filter || Object.values(filter).every((value) => value === undefined)) return there;
  const mask = there.slice();
  for (const tag of filter?.allOf ?? []) keepTagged(mask, [tag], tags);
  for (const group of filter?.anyOf ?? []) keepTagged(mask, group, tags);
  for (const tag of filter?.noneOf ?? []) dropTagged(mask, tag, tags);
  const { since, until, endsAfter } = filter ?? {};
  if (endsAfter !== undefined) {
    for (let slot = 0; slot < mask.length; slot++) if (items.end(slot) <= endsAfter) mask[slot] = 0;
  }
  if (since !== undefined || until !== undefined) {
    const [from, to] = [since ?? Number.NEGATIVE_INFINITY, until ?? Number.POSITIVE_INFINITY];
    for (let slot = 0; slot < mask.length; slot++) {
      const time = items.time(slot);
      if (!(time >= from && time <= to)) mask[slot] = 0;
    }
  }
  return mask;
}

function keepTagged(mask: Uint8Array, group: readonly string[], tags: Tags): void {
  const tagged = new Uint8Array(mask.length);
  for (const tag of group) {
    for (const entries of tags.entriesOf(tag)) for (const entry of entries) tagged[entry >>> WEIGHT_BITS] = 1;
  }
  for (let slot = 0; slot < mask.length; slot++) (mask[slot] as number) &= tagged[slot] as number;
}

function dropTagged(mask: Uint8Array, tag: string, tags: Tags): void {
  for (const entries of tags.entriesOf(tag)) for (const entry of entries) mask[entry >>> WEIGHT_BITS] = 0;
}
