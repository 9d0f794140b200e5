/** What a sum of weighted features means: how often an item with it is an answer. */
import type { Calibration, Weights } from '../../packages/server/src/search/ranking/judging/features.ts';
import { logitOf } from '../../packages/server/src/search/ranking/judging/scoring.ts';
import type { Case } from './cases.ts';
import { descend } from './gradient-descent.ts';
import { sumOf } from './sums.ts';

/** Of each question: those that a caller sees. */
const SHOWN = 10;
const STEPS = 2_000;
const RATE = 0.05;
const PENALTY = 0.0005;

export interface CalibrationCases {
  readonly questions: readonly Case[];
  /** Questions that have no answer there. */
  readonly hopeless: readonly Case[];
  /** What is looked for in its own words. */
  readonly lookUps: readonly Case[];
}

/** By logistic regression. */
export function calibrate({ questions, hopeless, lookUps }: CalibrationCases, weights: Weights): Calibration {
  const shown = (some: readonly Case[], share: number) =>
    some.flatMap(({ candidates, coverage, similarity }) => {
      const scored = candidates.map(({ features, isRelevant }) => ({ sum: sumOf(features, weights), isRelevant }));
      const best = scored.sort((a, b) => b.sum - a.sum).slice(0, SHOWN);
      return best.map(({ sum, isRelevant }) => ({
        row: [1, sum, sum * coverage, sum * similarity],
        isRelevant,
        weight: share / some.length / SHOWN,
      }));
    });
  const data = [...shown(questions, 0.6), ...shown(hopeless, 0.2), ...shown(lookUps, 0.2)];
  const fitted = descend(new Float64Array(4), {
    steps: STEPS,
    rate: RATE,
    slopeAt: (now) => {
      const slopes = now.map((value, k) => (k === 0 ? 0 : PENALTY * value));
      for (const { row, isRelevant, weight } of data) {
        const logit = row.reduce((sum, value, k) => sum + value * (now[k] as number), 0);
        const error = weight * (1 / (1 + Math.exp(-logit)) - (isRelevant ? 1 : 0));
        for (const [k, value] of row.entries()) slopes[k] = (slopes[k] as number) + error * value;
      }
      return slopes;
    },
    // A better item never scores less.
    bound: (moved, k) => (k === 0 ? moved : Math.max(0, moved)),
  });
  const [bias, slope, coverage, similarity] = Array.from(fitted, (value) => Math.round(value * 100) / 100) as [
    number,
    number,
    number,
    number,
  ];
  return { bias, slope, coverage, similarity };
}

/** By bands of scores: how many there are, and how many of them are answers. */
export function reliability(cases: readonly Case[], weights: Weights, by: Calibration): { from: number; count: number; right: number }[] {
  const bands = Array.from({ length: 5 }, (_, i) => ({ from: i / 5, count: 0, right: 0 }));
  for (const { candidates, coverage, similarity } of cases) {
    const scored = candidates.map(({ features, isRelevant }) => ({ sum: sumOf(features, weights), isRelevant }));
    for (const { sum, isRelevant } of scored.sort((a, b) => b.sum - a.sum).slice(0, SHOWN)) {
      const logit = logitOf(sum, { coverage, similarity }, by);
      const band = bands[Math.min(4, Math.floor(5 / (1 + Math.exp(-logit))))] as (typeof bands)[number];
      band.count++;
      if (isRelevant) band.right++;
    }
  }
  return bands;
}
