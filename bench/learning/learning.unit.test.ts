import { describe, expect, test } from 'vitest';
import { FEATURES, type Feature, type Features } from '../../packages/server/src/search/ranking/judging/features.ts';
import { logitOf } from '../../packages/server/src/search/ranking/judging/scoring.ts';
import { calibrate, reliability } from './calibrating.ts';
import type { Candidate, Case } from './cases.ts';
import { descend } from './gradient-descent.ts';
import { learnWeights } from './learner.ts';

const NOTHING = Object.fromEntries(FEATURES.map((feature) => [feature, 0])) as Features;
const question: Case['question'] = { text: '', kind: '', relevant: new Set() };
const caseOf = (candidates: readonly Candidate[]): Case => ({ question, coverage: 1, similarity: 1, candidates });
const candidate = (isRelevant: boolean, features: Partial<Features>): Candidate => ({ isRelevant, features: { ...NOTHING, ...features } });

/** The same on every machine, and as good as chance. */
function newChance(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

describe('gradient descent', () => {
  const slopeTo = (least: readonly number[]) => (values: Float64Array) => values.map((value, i) => 2 * (value - (least[i] as number)));

  test('ends where the sum is least, whatever the scale', () => {
    const found = descend(new Float64Array(2), { steps: 2_000, rate: 0.05, slopeAt: slopeTo([3, -0.02]), bound: (moved) => moved });
    expect(found[0]).toBeCloseTo(3, 3);
    expect(found[1]).toBeCloseTo(-0.02, 3);
  });

  test('never leaves what is allowed, nor changes where it began', () => {
    const from = Float64Array.of(1, 1);
    const found = descend(from, { steps: 500, rate: 0.1, slopeAt: slopeTo([3, -3]), bound: (moved) => Math.min(2, Math.max(0, moved)) });
    expect([...found]).toEqual([2, 0]);
    expect([...from]).toEqual([1, 1]);
  });
});

describe('weights', () => {
  const features: Feature[] = ['ownWords', 'time', 'number', 'asking'];
  /** Answers have the words, and seldom a number; whether they tell a time is chance; half of the others ask. */
  const cases = () => {
    const chance = newChance();
    const one = (isRelevant: boolean) =>
      candidate(isRelevant, {
        ownWords: isRelevant ? 0.5 + chance() / 2 : chance() * 0.8,
        time: chance() < 0.5 ? 1 : 0,
        number: chance() < (isRelevant ? 0.1 : 0.6) ? 1 : 0,
        asking: !isRelevant && chance() < 0.5 ? 1 : 0,
      });
    return Array.from({ length: 60 }, () => caseOf([one(true), ...Array.from({ length: 20 }, () => one(false))]));
  };

  test('what tells answers from others counts, and what speaks the other way counts nothing', () => {
    const weights = learnWeights([{ cases: cases(), share: 1 }], features);
    expect(weights.ownWords).toBeGreaterThan(1);
    expect(Math.abs(weights.time ?? 0)).toBeLessThan((weights.ownWords ?? 0) / 5);
    expect(weights.number).toBeUndefined();
    expect(weights.asking).toBeLessThan(0);
  });

  test('are the same again, and never above what is allowed', () => {
    const learn = (most = {}) => learnWeights([{ cases: cases(), share: 1 }], features, most);
    expect(learn()).toEqual(learn());
    expect(learn({ ownWords: 0.5 }).ownWords).toBe(0.5);
  });

  test('a kind of question counts by its share, not by how many there are', () => {
    const wants = (feature: Feature, count: number) =>
      Array.from({ length: count }, () =>
        caseOf([
          candidate(true, { [feature]: 1 }),
          ...Array.from({ length: 10 }, () => candidate(false, { [feature === 'time' ? 'number' : 'time']: 1 })),
        ]),
      );
    const weights = learnWeights(
      [
        { cases: wants('time', 2), share: 0.9 },
        { cases: wants('number', 50), share: 0.1 },
      ],
      ['time', 'number'],
    );
    expect(weights.time ?? 0).toBeGreaterThan(weights.number ?? 0);
  });
});

describe('calibration', () => {
  /** One in so many is an answer, the more often the better its words match. */
  const cases = () => {
    const chance = newChance();
    return Array.from({ length: 400 }, () =>
      caseOf(
        Array.from({ length: 10 }, () => {
          const ownWords = chance();
          return candidate(chance() < ownWords, { ownWords });
        }),
      ),
    );
  };
  const weights = { ownWords: 1 };

  test('a score is about how often such an item is right', () => {
    const fitted = calibrate({ questions: cases(), hopeless: [], lookUps: [] }, weights);
    expect(fitted.slope + fitted.coverage + fitted.similarity).toBeGreaterThan(2);
    expect(1 / (1 + Math.exp(-logitOf(0.5, { coverage: 1, similarity: 1 }, fitted)))).toBeCloseTo(0.5, 1);
    for (const { from, count, right } of reliability(cases(), weights, fitted)) {
      expect(count).toBeGreaterThan(100);
      expect(right / count).toBeGreaterThan(from - 0.1);
      expect(right / count).toBeLessThan(from + 0.3);
    }
  });

  test('a better item never scores less, not even where the data says so', () => {
    const wrong = cases().map(({ candidates }) => caseOf(candidates.map((one) => ({ ...one, isRelevant: !one.isRelevant }))));
    const { slope, coverage, similarity } = calibrate({ questions: wrong, hopeless: [], lookUps: [] }, weights);
    expect([slope, coverage, similarity]).toEqual([0, 0, 0]);
  });
});
