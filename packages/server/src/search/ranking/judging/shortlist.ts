/** The few that may be answers, with all that is known of each. */

import type { IndexQuery } from '../index-query.ts';
import { NONE } from '../none.ts';
import { LEAST_SHORTLISTED, SHORTLISTED_FOR_EACH } from '../profiles.ts';
import { type Fused, fuseBest, type Proposal, type RankParts } from '../ranking.ts';
import type { ReadVectors } from '../vectors/scope-vectors.ts';
import type { Features, Level } from './features.ts';
import { LONGEST_QUESTION, readQuestion } from './questions.ts';
import {
  answerSignal,
  askingSignal,
  dateSignal,
  nearbySignal,
  numberSignal,
  type PlacedScore,
  roleSignal,
  speakerSignal,
  timeSignal,
} from './signals.ts';

export interface Shortlisted {
  readonly slot: number;
  readonly level: Level;
  readonly features: Features;
  /** Of `passageVector`: what its own vector has in it. */
  readonly ownInPassage: number;
}

export interface Shortlist {
  /** Best first, by words and vectors. */
  readonly items: readonly Shortlisted[];
  /** How much of the question's words the best item or passage has, and how similar the most similar item is; 0 to 1. */
  readonly coverage: number;
  readonly similarity: number;
  /** By content word of the question: how much it says. */
  readonly values: ReadonlyMap<string, number>;
}

/** `read`: vectors that are not in memory. */
export function makeShortlist(parts: RankParts, proposal: Proposal, query: IndexQuery, read: ReadVectors): Shortlist {
  const fused = fuseBest(parts, proposal, Math.max(LEAST_SHORTLISTED, SHORTLISTED_FOR_EACH * query.limit), read);
  const { items } = parts;
  const places = fused.slots.map((slot, i) => {
    return { slot, thread: items.threadNumber(slot), time: items.time(slot), score: fused.scores[i] as number };
  });
  const judge = judging(parts, fused, query);
  const similarity = Math.max(0, Math.min(1, fused.similar?.best ?? 0));
  const { values } = proposal;
  return { items: places.map((place) => judge(place, places)), coverage: fused.words.coverage, similarity, values };
}

function judging({ items, passages, speakers, profile }: RankParts, fused: Fused, { text, askedAt }: IndexQuery) {
  const { words, similar, hasVector, vectorScore } = fused;
  const question = readQuestion(text, askedAt);
  const named = profile.hasSpeakers ? speakers.findNamed(text.slice(0, LONGEST_QUESTION)) : new Set<number>();
  return (place: PlacedScore & { readonly slot: number }, places: readonly PlacedScore[]): Shortlisted => {
    const { slot, thread, time } = place;
    const isSimilar = similar !== undefined && hasVector(slot);
    const traits = items.traits(slot);
    const before = passages?.before[slot] ?? NONE;
    const speaker = speakerSignal(named, profile.hasSpeakers ? speakers.numberOf(slot) : 0);
    const isOfTwo = speaker > 0 && speakers.isOfTwo(thread);
    const ownVector = isSimilar ? similar.ownScore(slot) : 0;
    const passageVector = isSimilar && passages ? vectorScore(slot) : 0;
    const nearBefore = similar && before !== NONE && hasVector(before) ? similar.ownScore(before) : 0;
    const features: Features = {
      ownWords: words.ownScore(slot),
      passageWords: words.passageScore(slot),
      // Until the best texts are read, what they would say is taken to be what the question says.
      feedbackWords: words.ownScore(slot),
      ownVector,
      passageVector,
      rareWords: words.rareShare(slot),
      lookUp: words.isLookUp ? words.rareShare(slot) : 0,
      speaker: isOfTwo ? speaker : 0,
      speakerInGroup: isOfTwo ? 0 : speaker,
      asking: askingSignal(traits),
      time: timeSignal(question, traits),
      number: numberSignal(question, traits),
      answer: before === NONE ? 0 : answerSignal(items.traits(before), nearBefore),
      role: roleSignal(question, traits),
      date: dateSignal(question.dates, time),
      nearby: passages ? nearbySignal(place, places) : 0,
      ownTokens: 0,
      passageTokens: 0,
    };
    const ownInPassage = isSimilar ? Math.min(passageVector, similar.ownShare * ownVector) : 0;
    return { slot, level: isSimilar ? 'vectors' : 'words', features, ownInPassage };
  };
}
