/** Weights of features for a yes or no: logistic regression. */
import { descend } from '../learning/gradient-descent.ts';

const STEPS = 150;
const RATE = 0.05;
/** What is seen less often is not learnt from. */
const LEAST_SEEN = 4;
/** Below this a weight changes nothing. */
const LEAST_WEIGHT = 0.05;

export type FeatureWeights = Readonly<Record<string, number>>;

export interface Answered {
  readonly features: readonly string[];
  readonly answer: boolean;
}

export function learnAnswers(examples: readonly Answered[], penalty: number, leastWeight = LEAST_WEIGHT): FeatureWeights {
  const seen = new Map<string, number>();
  for (const { features } of examples) for (const feature of features) seen.set(feature, (seen.get(feature) ?? 0) + 1);
  const names = [...seen].filter(([, count]) => count >= LEAST_SEEN).map(([name]) => name);
  const numbers = new Map(names.map((name, index) => [name, index]));
  const rows = examples.map(({ features }) => Uint32Array.from(features.flatMap((feature) => numbers.get(feature) ?? [])));
  const weights = descend(new Float64Array(names.length), {
    steps: STEPS,
    rate: RATE,
    bound: (moved) => moved,
    slopeAt: (now) => {
      const slope = now.map((weight) => penalty * weight);
      for (const [index, row] of rows.entries()) {
        let sum = 0;
        for (const at of row) sum += now[at] as number;
        const error = 1 / (1 + Math.exp(-sum)) - Number(examples[index]?.answer);
        for (const at of row) slope[at] = (slope[at] as number) + error;
      }
      return slope;
    },
  });
  const kept = names.flatMap((name, index): [string, number][] => {
    const weight = weights[index] as number;
    return Math.abs(weight) < leastWeight ? [] : [[name, Math.round(weight * 100) / 100]];
  });
  return Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
}
