/** What is known of an item that may be an answer, and what each of it counts. */

/** All but the signals are relative to the best of the candidates: 0 to 1. */
export const FEATURES = [
  // Its own words (BM25), and those of it together with its neighbours.
  'ownWords',
  'passageWords',
  // Its own words by those that the best texts share.
  'feedbackWords',
  // Its own vector, and its own together with its neighbours'.
  'ownVector',
  'passageVector',
  // How much of the question its rare words are.
  'rareWords',
  // The same where the question is a few words to look up.
  'lookUp',
  // See signals.ts.
  'speaker',
  'speakerInGroup',
  'asking',
  'time',
  'number',
  'answer',
  'role',
  'date',
  'nearby',
  // The tokens of the question met by its own tokens, and by those of it and its neighbours: 0 to 1, of themselves.
  'ownTokens',
  'passageTokens',
] as const;

export type Feature = (typeof FEATURES)[number];
export type Features = Record<Feature, number>;

/** What is shown of them by name where a hit is explained. */
export const SIGNALS = ['speaker', 'speakerInGroup', 'asking', 'time', 'number', 'answer', 'role', 'date', 'nearby'] as const;

/** By how much is known of an item: its words alone, its vector too, its tokens too. */
export const LEVELS = ['words', 'vectors', 'tokens'] as const;
export type Level = (typeof LEVELS)[number];

/** Which features a level may use. */
const OF_VECTORS: ReadonlySet<Feature> = new Set(['ownVector', 'passageVector', 'answer']);
const OF_TOKENS: ReadonlySet<Feature> = new Set(['ownTokens', 'passageTokens']);

/** What is not learnt: no question that is learnt from has a date or looks a word up, and none is of documents. */
const GIVEN: ReadonlySet<Feature> = new Set(['lookUp', 'feedbackWords', 'date']);

export function featuresOf(level: Level): Feature[] {
  return FEATURES.filter((feature) => {
    if (GIVEN.has(feature)) return false;
    if (OF_TOKENS.has(feature)) return level === 'tokens';
    return level !== 'words' || !OF_VECTORS.has(feature);
  });
}

/** Learnt by `bench/learning`; what is left out counts nothing. */
export type Weights = Readonly<Partial<Record<Feature, number>>>;

/** How likely it is that an item with such a sum of weighted features is an answer, by the logistic function. */
export interface Calibration {
  readonly bias: number;
  /** What the sum counts at least; and more, the more of the question's words the best item has, and the more similar the most similar is. */
  readonly slope: number;
  readonly coverage: number;
  readonly similarity: number;
}

export interface Judgement {
  readonly weights: Weights;
  readonly calibration: Calibration;
}

export type Judgements = Readonly<Record<Level, Judgement>>;
