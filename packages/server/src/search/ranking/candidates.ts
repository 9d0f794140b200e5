/** Who of a large scope may be among the best: the best by words, the nearest by code, and the neighbours of both. */

import { boundOfBest, SlotList } from './arrays.ts';
import { type Passages, visitBeside } from './passages.ts';
import { NEAREST_CANDIDATES, type Profile, RARE_WORDS_DECIDE, WORD_CANDIDATES } from './profiles.ts';
import type { CodeDistances } from './vectors/code-distances.ts';
import type { WordScores } from './words/words.ts';

/** Of the vectors those directly beside an item count, of the words those up to `wordReach` away. Lent until the next call. */
export function chooseCandidates(
  distances: CodeDistances | undefined,
  { own, rare, ideal }: WordScores,
  eligible: Uint8Array,
  passages: Passages | undefined,
  { wordReach }: Profile,
): Uint32Array {
  const chosen = new SlotList('chosen', eligible.length);
  const add = (slot: number) => {
    if (eligible[slot] === 1) chosen.add(slot);
  };
  const choose = (slot: number, reach: number) => {
    add(slot);
    if (passages) visitBeside(passages, slot, reach, add);
  };
  for (const slot of distances?.nearest(eligible, NEAREST_CANDIDATES) ?? []) choose(slot, 1);
  for (const [slot, value] of rare) if (value >= ideal * RARE_WORDS_DECIDE) choose(slot, wordReach);
  for (const slot of bestByWords(own, eligible)) choose(slot, wordReach);
  return chosen.all();
}

/** One that may be no answer itself may stand beside one. Of too many equal ones the last to come. */
function bestByWords(own: SlotList, eligible: Uint8Array): number[] {
  const { scores } = own;
  const { least, sure } = boundOfBest(own, eligible, WORD_CANDIDATES);
  const { slots, count } = own.slotsToScan();
  const best: number[] = [];
  const others: number[] = [];
  for (let i = count - 1; i >= 0; i--) {
    const slot = slots ? (slots[i] as number) : i;
    const score = scores[slot] as number;
    if (score < least) continue;
    if (score >= sure) best.push(slot);
    else if (others.length < WORD_CANDIDATES) others.push(slot);
  }
  return [...best, ...others];
}

/** Some slots, and those beside them. Lent until the next call. */
export function withNeighbours(slots: Uint32Array, passages: Passages | undefined, size: number): Uint32Array {
  if (!passages) return slots;
  const wanted = new SlotList('wanted', size);
  for (const slot of slots) {
    wanted.add(slot);
    visitBeside(passages, slot, 1, (beside) => wanted.add(beside));
  }
  return wanted.all();
}
