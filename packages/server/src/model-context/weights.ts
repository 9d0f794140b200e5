/** What a piece is worth before its tokens are looked at. Chosen on two conversations, and judged on a third (docs/benchmarks.md); a point is a hundredth. */

/** How a message was found. */
export interface MessageScores {
  readonly score?: number | undefined;
  /** Of the score: what the messages before and after it say. */
  readonly neighbourPart?: number | undefined;
  /** Of the best one found that it stands beside. */
  readonly neighbourScore?: number | undefined;
}

export interface Weights {
  /** Of what is left after the prompt and the latest message: kept for the messages before it. */
  readonly latestShare: number;
  /** What its kind counts, and the share of the budget at which one more of its kind is worth half. */
  readonly kinds: Readonly<Record<'summary' | 'memory' | 'knowledge' | 'message' | 'latest', { value: number; share: number }>>;
  /** What counts of the part of a message's score that its neighbours have. */
  readonly neighbourPart: number;
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
  // The last turns; what is left beyond goes to more of them. 0.05 and 0.15 are within half a point, 0.2 loses one.
  latestShare: 0.1,
  // Of memories and knowledge no collection tells; a statement in few words and a page of text are worth about the same.
  kinds: {
    summary: { value: 0.8, share: 0.15 },
    memory: { value: 1, share: 0.15 },
    knowledge: { value: 1, share: 0.3 },
    message: { value: 1, share: 0.5 },
    // Beyond their part they fill what nothing else asks for; 0.2 loses four points.
    latest: { value: 0.05, share: 0.5 },
  },
  // A search finds the place by it; here the neighbours come as themselves. From 0.5 to 0.7 alike.
  neighbourPart: 0.5,
  // Up to 0.3 alike; 0.4 loses half a point, 0.5 more than one.
  neighbour: 0.3,
  // 0.1 and 0.2 alike; 0.3 loses a point.
  tokenPower: 0.2,
  leastScore: 0.05,
  repetition: 0.7,
  sameWords: 0.9,
};

export function valueOfMessage({ score = 0, neighbourPart = 0, neighbourScore = 0 }: MessageScores, using: Weights = weights): number {
  return using.kinds.message.value * Math.max(score - (1 - using.neighbourPart) * neighbourPart, using.neighbour * neighbourScore);
}
