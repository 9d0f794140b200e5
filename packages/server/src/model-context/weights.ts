/** What a piece is worth before its tokens are looked at. Chosen on one half of the questions of a collection, and reported on the other. */

export interface Weights {
  /** Of what is left after the prompt and the latest message: kept for the messages before it. */
  readonly latestShare: number;
  /** What its kind counts, and the share of the budget at which one more of its kind is worth half. */
  readonly kinds: Readonly<Record<'summary' | 'memory' | 'knowledge' | 'message' | 'latest', { value: number; share: number }>>;
  /** What a message beside one that was found is worth of it. */
  readonly neighbour: number;
  /** Value is held against tokens to this power: 1 prefers what is short, 0 what is best. */
  readonly tokenPower: number;
  /** What scores less bears on nothing. */
  readonly leastScore: number;
  /** How much of its value a text loses that another has the words of. */
  readonly repetition: number;
  /** From this share of its words on it says the same. */
  readonly sameWords: number;
}

export const weights: Weights = {
  latestShare: 0.25,
  kinds: {
    summary: { value: 0.8, share: 0.15 },
    memory: { value: 1, share: 0.15 },
    knowledge: { value: 1, share: 0.3 },
    message: { value: 1, share: 0.5 },
    latest: { value: 0.2, share: 0.5 },
  },
  neighbour: 0.6,
  tokenPower: 0.5,
  leastScore: 0.05,
  repetition: 0.7,
  sameWords: 0.9,
};
