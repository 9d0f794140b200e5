/**
 * What a piece is worth before its tokens are looked at: how likely it is an answer, which is what a score says, of whatever kind it is.
 * Chosen on ten of the conversations in bench/recall with memories and documents beside them, and judged on others (docs/benchmarks.md);
 * a point is a hundredth of the evidence that is in.
 */

/** How a message was found. */
export interface MessageScores {
  readonly score?: number | undefined;
  /** Of the best one found that it stands beside. */
  readonly neighbourScore?: number | undefined;
}

export interface Weights {
  /** Of what is left after the prompt and the latest message: kept for the messages before it. */
  readonly latestShare: number;
  /** What the further messages before it are worth. */
  readonly latest: number;
  /** What is worth something by itself: a summary, and a memory where there was nothing to search for. */
  readonly unscored: number;
  /** What a message beside one that was found is worth of it. */
  readonly neighbour: number;
  /** One more of a kind that has a share s of the budget is worth 1 / (1 + crowding × s) of what it was. */
  readonly crowding: number;
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
  // Beyond their part they fill what nothing else asks for. From 0.001 to 0.005 within a third of a point; 0.02 loses one to three.
  latest: 0.002,
  // Of these no collection tells: as a hit that is as likely an answer as not.
  unscored: 0.5,
  // From 0.05 to 0.15 within a quarter of a point; 0.3 loses half a point and more.
  neighbour: 0.1,
  // 0.5 gains a quarter of a point where one kind alone has the answer, 0 half a point. Where scores are alike, short texts then shut out
  // all others; with 1 they do not.
  crowding: 1,
  // Among messages alone from 0.2 to 0.7 alike. Beside memories and documents 0.2 loses two points and a half; 1 loses one of the documents.
  tokenPower: 0.7,
  // One in 300. 0 finds nothing more; 0.01 loses a point, for evidence of many a question scores so low; 0.02 four.
  leastScore: 0.003,
  repetition: 0.7,
  sameWords: 0.9,
};

export function valueOfMessage({ score = 0, neighbourScore = 0 }: MessageScores, using: Weights = weights): number {
  return Math.max(score, using.neighbour * neighbourScore);
}
