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
  // From 0.1 to 0.2 nothing is lost; 0.3 loses a point.
  latestShare: 0.2,
  // Of memories and knowledge no collection tells; a statement in few words and a page of text are worth about the same.
  kinds: {
    summary: { value: 0.8, share: 0.15 },
    memory: { value: 1, share: 0.15 },
    knowledge: { value: 1, share: 0.3 },
    message: { value: 1, share: 0.5 },
    // Beyond their part they fill what nothing else asks for; 0.2 loses four points.
    latest: { value: 0.05, share: 0.5 },
  },
  // Up to 0.5 alike; 0.7 loses two points.
  neighbour: 0.5,
  // From 0.1 to 0.5 within a point; 1 loses four.
  tokenPower: 0.2,
  leastScore: 0.05,
  repetition: 0.7,
  sameWords: 0.9,
};
