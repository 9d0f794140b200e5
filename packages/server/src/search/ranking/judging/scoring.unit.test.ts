import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Explanation } from '../index-query.ts';
import { profiles } from '../profiles.ts';
import { FEATURES, type Features, type Judgements, LEVELS, type Level, SIGNALS } from './features.ts';
import { scoreShortlist } from './scoring.ts';
import type { Shortlist, Shortlisted } from './shortlist.ts';

const NOTHING = Object.fromEntries(FEATURES.map((feature) => [feature, 0])) as Features;
const { judgements } = profiles.messages;
const bySlot = (a: number, b: number) => a - b;

function entry(slot: number, features: Partial<Features>, level: Level = 'vectors'): Shortlisted {
  const all = { ...NOTHING, ...features };
  return { slot, level, features: all, ownInPassage: all.passageVector / 2 };
}

const listOf = (items: readonly Shortlisted[], rest: Partial<Shortlist> = {}): Shortlist => ({
  items,
  coverage: 0.5,
  similarity: 0.5,
  values: new Map(),
  ...rest,
});
const scores = (items: readonly Shortlisted[], by: Judgements = judgements) => scoreShortlist(listOf(items), by, 1_000, bySlot);
const slots = (...request: Parameters<typeof scores>) => scores(...request).map(({ slot }) => slot);

function sumOfParts({ signals, ...parts }: Explanation): number {
  return [...Object.values(parts), ...Object.values(signals)].reduce((sum, part) => sum + part, 0);
}

const anyLevel = fc.constantFrom<Level>('words', 'vectors');
const share = fc.nat(100).map((n) => n / 100);
const anyFeatures = fc.record(
  Object.fromEntries(FEATURES.map((feature) => [feature, share])) as Record<keyof Features, fc.Arbitrary<number>>,
);
const anyJudgements = fc.constantFrom(...Object.values(profiles).map((profile) => profile.judgements));
const someItems = fc
  .array(fc.record({ features: anyFeatures, level: anyLevel }), { maxLength: 30 })
  .map((all) => all.map(({ features, level }, slot) => entry(slot, features, level)));

test('scores lie between 0 and 1, best first, and their parts add up', () => {
  fc.assert(
    fc.property(someItems, anyJudgements, share, share, (items, by, coverage, similarity) => {
      const scored = scoreShortlist(listOf(items, { coverage, similarity }), by, 1_000, bySlot);
      expect(scored.map(({ slot }) => slot).sort(bySlot)).toEqual(items.map(({ slot }) => slot));
      for (const [i, { score, explain }] of scored.entries()) {
        expect(score).toBeGreaterThan(0);
        expect(score).toBeLessThanOrEqual(scored[i - 1]?.score ?? 1);
        expect(sumOfParts(explain)).toBeCloseTo(score, 9);
        for (const part of [explain.lexical, explain.vector, explain.tokens, ...Object.values(explain.signals)])
          expect(Math.abs(part)).toBeLessThanOrEqual(4 * score + 1e-9);
        for (const name of Object.keys(explain.signals)) expect(SIGNALS).toContain(name);
      }
      const reversed = scoreShortlist(listOf(items.toReversed(), { coverage, similarity }), by, 1_000, bySlot);
      const again = new Map(reversed.map(({ slot, score }) => [slot, score]));
      for (const { slot, score } of scored) expect(again.get(slot)).toBeCloseTo(score, 9);
    }),
  );
});

test('the first of all are the first of a few', () => {
  fc.assert(
    fc.property(someItems, fc.nat(30), (items, limit) => {
      expect(scoreShortlist(listOf(items), judgements, limit, bySlot)).toEqual(scores(items).slice(0, limit));
    }),
  );
});

test('more of what speaks for an item never puts it lower, and asking never higher', () => {
  fc.assert(
    fc.property(someItems, fc.constantFrom(...FEATURES), share, (items, feature, value) => {
      fc.pre(items.length > 1 && feature !== 'passageVector');
      const [first, ...rest] = items as [Shortlisted, ...Shortlisted[]];
      // What those of the highest level have moves those below it.
      const all = [{ ...first, level: 'vectors' as const }, ...rest.map((one) => ({ ...one, level: 'vectors' as const }))];
      const better = {
        ...first,
        level: 'vectors' as const,
        features: { ...first.features, [feature]: Math.max(value, first.features[feature]) },
      };
      const [before, after] = [slots(all).indexOf(0), slots([better, ...all.slice(1)]).indexOf(0)];
      if (feature === 'asking') expect(after).toBeGreaterThanOrEqual(before);
      else expect(after).toBeLessThanOrEqual(before);
    }),
  );
});

test('with the same words, an item without a vector stands among those with one', () => {
  fc.assert(
    fc.property(anyFeatures, fc.array(fc.tuple(share, share), { minLength: 2, maxLength: 20 }), anyJudgements, (features, vectors, by) => {
      const alike = { ...features, answer: 0, ownTokens: 0, passageTokens: 0 };
      const items = vectors.map(([ownVector, passageVector], i) => entry(i, { ...alike, ownVector, passageVector }));
      const without = entry(99, { ...alike, ownVector: 0, passageVector: 0 }, 'words');
      const scored = scores([...items, without], by);
      const [most, least] = [Math.max, Math.min].map((of) => of(...scored.filter(({ slot }) => slot !== 99).map(({ score }) => score))) as [
        number,
        number,
      ];
      const own = scored.find(({ slot }) => slot === 99)?.score ?? Number.NaN;
      expect(own).toBeLessThanOrEqual(most + 1e-9);
      expect(own).toBeGreaterThanOrEqual(least - 1e-9);
    }),
  );
});

test('where all are of one level they are judged by that alone', () => {
  const items = [entry(1, { ownWords: 1 }, 'words'), entry(2, { ownWords: 0.5 }, 'words')];
  const { weights, calibration } = judgements.words;
  const logit =
    calibration.bias + (weights.ownWords ?? 0) * (calibration.slope + calibration.coverage * 0.5 + calibration.similarity * 0.5);
  expect(scores(items)[0]).toMatchObject({ slot: 1, score: 1 / (1 + Math.exp(-logit)) });
  expect(slots(items)).toEqual([1, 2]);
});

test('with three levels, those below are moved each by its own measure', () => {
  const of = (ownWords: number, more = {}) => ({
    weights: { ownWords, ...more },
    calibration: { bias: 0, slope: 1, coverage: 0, similarity: 0 },
  });
  const by: Judgements = { words: of(1), vectors: of(1, { ownVector: 1 }), tokens: of(1, { ownVector: 1, ownTokens: 1 }) };
  const items = [
    entry(1, { ownWords: 1, ownVector: 1, ownTokens: 1 }, 'tokens'),
    entry(2, { ownWords: 0.5, ownVector: 1 }, 'vectors'),
    entry(3, { ownWords: 0.4 }, 'words'),
  ];
  const logits = scores(items, by).map(({ slot, score }) => [slot, Math.log(score / (1 - score))] as const);
  expect(logits.map(([slot]) => slot)).toEqual([1, 2, 3]);
  // 0.4 of its own, and 2 as the first has beside its words.
  for (const [i, logit] of [3, 2.5, 2.4].entries()) expect(logits[i]?.[1]).toBeCloseTo(logit);
});

test('of equal ones the later comes first', () => {
  expect(slots([entry(1, { ownWords: 1 }), entry(3, { ownWords: 1 }), entry(2, { ownWords: 1 })])).toEqual([3, 2, 1]);
});

test('what is no number says nothing, and never makes a score of none', () => {
  const noNumber = fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY);
  fc.assert(
    fc.property(someItems, fc.constantFrom(...FEATURES), noNumber, (items, feature, value) => {
      fc.pre(items.length > 0);
      const with0 = items.map((one, i) => (i ? one : { ...one, features: { ...one.features, [feature]: 0 } }));
      const broken = items.map((one, i) => (i ? one : { ...one, features: { ...one.features, [feature]: value } }));
      expect(scores(broken)).toEqual(scores(with0));
    }),
  );
});

test('parts add up also where nothing, next to nothing or only what speaks against it is known', () => {
  for (const level of LEVELS) {
    for (const features of [{}, { ownWords: Number.MIN_VALUE }, { asking: 1 }, { asking: 1, ownWords: 0.01 }, { asking: 1, time: 0.01 }]) {
      const [only] = scores([entry(1, features, level)]);
      const { score, explain } = only as { score: number; explain: Explanation };
      expect(score).toBeGreaterThan(0);
      expect(sumOfParts(explain)).toBeCloseTo(score, 12);
    }
  }
  expect(scores([])).toEqual([]);
});

test('what nearly cancels all that speaks for an item is not shown, so that no part is many times its score', () => {
  const { asking = 0, ownWords = 0 } = judgements.vectors.weights;
  expect(asking).toBeLessThan(0);
  const [only] = scores([entry(1, { asking: 1, ownWords: (-asking / ownWords) * 1.01 })]);
  const { score, explain } = only as { score: number; explain: Explanation };
  expect(explain.signals).toEqual({});
  expect(explain.lexical).toBeCloseTo(score, 12);
});

test('each signal is explained by its own name', () => {
  for (const signal of SIGNALS) {
    const [found] = scores([entry(1, { ownWords: 1, passageVector: 1, [signal]: 1 })]);
    const weight = judgements.vectors.weights[signal] ?? 0;
    expect(Object.keys(found?.explain.signals ?? {})).toEqual([signal]);
    expect(Math.sign(found?.explain.signals[signal] ?? 0)).toBe(Math.sign(weight));
  }
});

test('the own part of what neighbours share is shown as the vector’s', () => {
  const { weights } = judgements.vectors;
  const [found] = scores([entry(1, { passageVector: 1, ownWords: 0.5, passageWords: 0.5, ownVector: 0.5 })]);
  const { lexical = 0, vector = 0, neighbours = 0 } = found?.explain ?? {};
  const of = (feature: 'ownWords' | 'passageWords' | 'ownVector' | 'passageVector') => weights[feature] ?? 0;
  const total = lexical + vector + neighbours;
  const sum = of('passageVector') + (of('ownWords') + of('passageWords') + of('ownVector')) / 2;
  expect(lexical / total).toBeCloseTo(of('ownWords') / 2 / sum);
  expect(vector / total).toBeCloseTo((of('ownVector') + of('passageVector')) / 2 / sum);
});
