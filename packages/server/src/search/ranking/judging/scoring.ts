/** From what is known of an item to its score: how likely it is an answer. */

import type { Explanation } from '../index-query.ts';
import { LOOK_UP_WEIGHT } from '../profiles.ts';
import { type Calibration, type Feature, type Features, type Judgements, LEVELS, type Level, SIGNALS, type Weights } from './features.ts';
import type { Shortlist, Shortlisted } from './shortlist.ts';

/** Of slots. */
type Compare = (a: number, b: number) => number;

export interface Scored {
  readonly slot: number;
  readonly score: number;
  readonly explain: Explanation;
}

/** The best of them. */
export function narrowShortlist(shortlist: Shortlist, judgements: Judgements, most: number, compare: Compare): Shortlist {
  const { items } = shortlist;
  if (items.length <= most) return shortlist;
  const best = orderOf(items, sumsOf(items, judgements), compare).slice(0, most);
  return { ...shortlist, items: best.map((i) => items[i] as Shortlisted) };
}

/** Best first; `compare` orders equal ones. */
export function scoreShortlist(
  { items, coverage, similarity }: Shortlist,
  judgements: Judgements,
  limit: number,
  compare: Compare,
): Scored[] {
  const sums = sumsOf(items, judgements);
  const best = orderOf(items, sums, compare);
  const { calibration } = judgements[highestLevel(items)];
  return best.slice(0, limit).map((i) => {
    const item = items[i] as Shortlisted;
    const score = logistic(logitOf(sums[i] as number, { coverage, similarity }, calibration));
    return { slot: item.slot, score, explain: explainScore(item, judgements[item.level].weights, score) };
  });
}

function orderOf(items: readonly Shortlisted[], sums: Float64Array, compare: Compare): number[] {
  const slotAt = (i: number) => (items[i] as Shortlisted).slot;
  return [...items.keys()].sort((a, b) => (sums[b] as number) - (sums[a] as number) || compare(slotAt(b), slotAt(a)));
}

/**
 * Of the same scale for all: an item of which less is known than of the best known has what it has by that, moved by as much as the others
 * have more on average.
 */
function sumsOf(items: readonly Shortlisted[], judgements: Judgements): Float64Array {
  const sums = Float64Array.from(items, ({ features, level }) => weigh(features, judgements[level].weights));
  const highest = LEVELS.indexOf(highestLevel(items));
  for (let level = 0; level < highest; level++) {
    const lower = judgements[LEVELS[level] as Level].weights;
    let [moved, count] = [0, 0];
    for (const [i, item] of items.entries()) {
      if (LEVELS.indexOf(item.level) !== highest) continue;
      moved += (sums[i] as number) - weigh(item.features, lower);
      count++;
    }
    for (const [i, item] of items.entries()) if (item.level === LEVELS[level]) sums[i] = (sums[i] as number) + moved / count;
  }
  return sums;
}

function highestLevel(items: readonly Shortlisted[]): Level {
  return LEVELS[items.reduce((most, { level }) => Math.max(most, LEVELS.indexOf(level)), 0)] as Level;
}

function weigh(features: Features, weights: Weights): number {
  let sum = LOOK_UP_WEIGHT * known(features.lookUp);
  for (const feature in weights) sum += (weights[feature as Feature] as number) * known(features[feature as Feature]);
  return sum;
}

/** What is no number says nothing. */
function known(value: number): number {
  return Number.isFinite(value) ? value : 0;
}

/** What speaks for an item means more where the question's words are there, and something is near to it, at all. */
export function logitOf(sum: number, of: Pick<Shortlist, 'coverage' | 'similarity'>, by: Calibration): number {
  return by.bias + sum * (by.slope + by.coverage * of.coverage + by.similarity * of.similarity);
}

function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/** Of what speaks for an item, so much has to be left when what speaks against it is shown too: else its parts were many times its score. */
const LEAST_LEFT = 0.25;

/** The parts add up to the score. Where too much speaks against an item, what speaks for it is all that is shown. */
function explainScore({ features, ownInPassage }: Shortlisted, weights: Weights, score: number): Explanation {
  const of = (feature: Feature) => (weights[feature] ?? 0) * known(features[feature]);
  const ownOfPassage = (weights.passageVector ?? 0) * known(ownInPassage);
  const signals = SIGNALS.map((name) => [name, of(name)] as const).filter(([, value]) => value !== 0);
  const parts = {
    lexical: of('ownWords') + of('feedbackWords') + of('rareWords') + LOOK_UP_WEIGHT * known(features.lookUp),
    vector: of('ownVector') + ownOfPassage,
    tokens: of('ownTokens'),
    neighbours: of('passageWords') + of('passageVector') - ownOfPassage + of('passageTokens'),
  };
  const ofParts = Object.values(parts).reduce((sum, value) => sum + value, 0);
  const ofSignals = (some: typeof signals) => some.reduce((sum, [, value]) => sum + value, 0);
  const positive = signals.filter(([, value]) => value > 0);
  const shown = ofParts + ofSignals(signals) > LEAST_LEFT * (ofParts + ofSignals(positive)) ? signals : positive;
  const factor = score / (ofParts + ofSignals(shown));
  // Nothing, or next to nothing, speaks for it.
  if (!Number.isFinite(factor)) return { lexical: score, vector: 0, tokens: 0, neighbours: 0, signals: {} };
  return {
    lexical: parts.lexical * factor,
    vector: parts.vector * factor,
    tokens: parts.tokens * factor,
    neighbours: parts.neighbours * factor,
    signals: Object.fromEntries(shown.map(([name, value]) => [name, value * factor])),
  };
}
