/** What an index consists of, by slot. */

import type { Steps } from '../slices.ts';
import type { IndexItem } from './index-item.ts';
import { Items } from './items.ts';
import { traitsOf } from './judging/traits.ts';
import { metaTags } from './meta-tags.ts';
import { Passages } from './passages.ts';
import type { Profile } from './profiles.ts';
import { StoredSlots } from './saving.ts';
import { SlotMarks } from './slot-marks.ts';
import { Speakers } from './speakers.ts';
import { Tags } from './tags.ts';
import type { ChainPlace } from './thread-chains.ts';
import { ScopeVectors } from './vectors/scope-vectors.ts';
import { Postings } from './words/postings.ts';
import { countTerms } from './words/term-counts.ts';

export interface IndexParts {
  readonly items: Items;
  readonly words: Postings;
  readonly tags: Tags;
  readonly vectors: ScopeVectors;
  readonly speakers: Speakers;
  /** Items that wait for their vector. */
  readonly vectorless: SlotMarks;
  readonly stored: StoredSlots;
  /** Nothing where items stand alone. */
  readonly passages: Passages | undefined;
}

export function newParts(profile: Profile): IndexParts {
  return {
    items: new Items(),
    words: new Postings(),
    tags: new Tags(),
    vectors: new ScopeVectors(),
    speakers: new Speakers(),
    vectorless: new SlotMarks(),
    stored: new StoredSlots(),
    passages: profile.wordReach > 0 ? new Passages(profile) : undefined,
  };
}

/** Without its vector; `place`: of what went, if it takes the place of that. */
export function addItem(parts: IndexParts, profile: Profile, item: IndexItem, fingerprint: number, place?: ChainPlace): number {
  const { id, order, thread, version = 0, text, prefix = '', tags, meta, time, end } = item;
  const { terms, weights, length } = countTerms({ prefix, text, time }, profile);
  const traits = profile.hasTraits ? traitsOf(text, tags) : 0;
  const slot = parts.items.add({ id, order, thread, version, time, end, fingerprint, length, traits }, place);
  for (let i = 0; i < terms.length; i++) parts.words.addTerm(terms[i] as number, slot, weights[terms[i] as number] as number);
  for (const tag of new Set(meta === undefined ? tags : [...tags, ...metaTags(meta)])) parts.tags.add(tag, slot);
  if (profile.hasSpeakers) parts.speakers.add(slot, parts.items.threadNumber(slot), text);
  parts.passages?.noteAdded(parts.items, slot);
  return slot;
}

export function removeItem(parts: IndexParts, profile: Profile, slot: number): void {
  parts.passages?.noteRemoving(parts.items, slot);
  parts.vectors.set(slot, undefined);
  if (profile.hasSpeakers) parts.speakers.remove(slot, parts.items.threadNumber(slot));
  parts.vectorless.set(slot, false);
  parts.stored.clear(slot);
  parts.items.remove(slot);
}

/** Without the slots that are empty. */
export function* compacted(parts: IndexParts, profile: Profile): Steps<IndexParts> {
  const { items, newSlots } = yield* parts.items.compacted();
  const words = yield* parts.words.compacted(newSlots);
  const tags = yield* parts.tags.compacted(newSlots);
  parts.vectors.compact(newSlots, items.slotCount);
  parts.stored.compact(newSlots, items.slotCount);
  parts.passages?.noteAll();
  const speakers = profile.hasSpeakers ? parts.speakers.compacted(newSlots, (slot) => items.threadNumber(slot)) : parts.speakers;
  return { ...parts, items, words, tags, speakers, vectorless: parts.vectorless.compacted(newSlots) };
}
