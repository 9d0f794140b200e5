/** Weights of features by gradient descent: answers should stand before what is not, and above all before what is about the tenth. */
import type { Feature, Weights } from '../../packages/server/src/search/ranking/judging/features.ts';
import type { Case } from './cases.ts';
import { descend } from './gradient-descent.ts';

/** Of one question: a row of features for each candidate. */
interface Rows {
  readonly rows: readonly Float64Array[];
  readonly isRelevant: readonly boolean[];
  readonly weight: number;
}

/** Cases of one kind count together as much as their share says, however many they are. */
export interface Share {
  readonly cases: readonly Case[];
  readonly share: number;
}

const CANDIDATES = 80;
const STEPS = 200;
const RATE = 0.1;
const PENALTY = 0.003;
/** How much of the aim is the order as a whole; the rest is what stands before those about the tenth place. */
const WHOLE_ORDER = 0.15;
const ABOUT_TENTH = [5, 15] as const;
/** Who asks speaks against himself; all else speaks for an item. A weight of the other sign would be a mistake of the data, and is 0. */
const AGAINST: ReadonlySet<Feature> = new Set(['asking']);

/** `most`: what a weight may be at most. */
export function learnWeights(shares: readonly Share[], features: readonly Feature[], most: Weights = {}): Weights {
  const data = shares.flatMap(({ cases, share }) => cases.flatMap((one) => rowsOf(one, features, share / cases.length)));
  const sign = Float64Array.from(features, (feature) => (AGAINST.has(feature) ? -1 : 1));
  const weights = descend(
    sign.map((one) => one * RATE),
    {
      steps: STEPS,
      rate: RATE,
      slopeAt: (now) => {
        const slope = now.map((weight) => PENALTY * weight);
        for (const one of data) addSlope(one, now, slope);
        return slope;
      },
      bound: (moved, k) =>
        moved * (sign[k] as number) < 0 ? 0 : Math.min(moved, most[features[k] as Feature] ?? Number.POSITIVE_INFINITY),
    },
  );
  const rounded = features.map((feature, k) => [feature, Math.round((weights[k] as number) * 100) / 100] as const);
  return Object.fromEntries(rounded.filter(([, weight]) => weight !== 0));
}

function rowsOf({ candidates }: Case, features: readonly Feature[], weight: number): Rows[] {
  const some = candidates.slice(0, CANDIDATES);
  const isRelevant = some.map((candidate) => candidate.isRelevant);
  if (!isRelevant.includes(true) || !isRelevant.includes(false)) return [];
  return [{ rows: some.map((candidate) => Float64Array.from(features, (feature) => candidate.features[feature])), isRelevant, weight }];
}

function addSlope({ rows, isRelevant, weight }: Rows, weights: Float64Array, slope: Float64Array): void {
  const sums = rows.map((row) => row.reduce((sum, value, k) => sum + value * (weights[k] as number), 0));
  const most = Math.max(...sums);
  const powers = sums.map((sum) => Math.exp(sum - most));
  const others = [...rows.keys()].filter((i) => !isRelevant[i]);
  const powerOfOthers = others.reduce((sum, i) => sum + (powers[i] as number), 0);
  const aboutTenth = others.toSorted((a, b) => (sums[b] as number) - (sums[a] as number)).slice(...ABOUT_TENTH);
  const answers = [...rows.keys()].filter((i) => isRelevant[i]);
  const add = (row: number, factor: number) => {
    const values = rows[row] as Float64Array;
    for (let k = 0; k < values.length; k++) slope[k] = (slope[k] as number) + factor * (values[k] as number);
  };
  for (const answer of answers) {
    const share = weight / answers.length;
    const total = powerOfOthers + (powers[answer] as number);
    const whole = share * WHOLE_ORDER;
    for (const other of others) add(other, (whole * (powers[other] as number)) / total);
    add(answer, -(whole * powerOfOthers) / total);
    for (const other of aboutTenth) {
      const wrong = 1 / (1 + Math.exp((sums[answer] as number) - (sums[other] as number)));
      const factor = (share * (1 - WHOLE_ORDER) * wrong) / aboutTenth.length;
      add(other, factor);
      add(answer, -factor);
    }
  }
}
