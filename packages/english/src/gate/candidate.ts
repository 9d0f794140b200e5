/** What may be worth keeping, before that is decided. */

import type { Finding } from '../corrections/corrections.ts';
import type { Statement } from '../sentences/statements.ts';
import type { Token } from '../sentences/tokens.ts';

/**
 * `statement` has a subject and a verb; `label` is `OS: NixOS`; `fragment` is neither, `2014 Octavia, 212k km`; `event` names what
 * happens and when; `wish` is one for all answers; `name` tells how someone is called.
 */
export type CandidateForm = 'statement' | 'label' | 'fragment' | 'event' | 'wish' | 'name';

export interface Candidate {
  /** What is kept if it is. */
  readonly finding: Finding;
  readonly form: CandidateForm;
  /** A rule knows it for something to keep. */
  readonly ruled: boolean;
  /** As it was said. */
  readonly tokens: readonly Token[];
  readonly statement?: Statement | undefined;
  readonly dated: boolean;
  /** The user asked for it to be kept. */
  readonly remembered: boolean;
}

/** Where in the message it stands, and what else is there. */
export interface Place {
  /** Of the sentence, and how many there are. */
  readonly index: number;
  readonly count: number;
  /** Whether the message asks something, or orders it. */
  readonly asks: boolean;
  readonly orders: boolean;
  /** How many sentences are labelled values, or have no verb: of a list most are. */
  readonly labels: number;
  readonly fragments: number;
  /** Nouns and verbs of the whole message, each once: they tell a shopping list from a list of what one owns. */
  readonly words: readonly string[];
}

/** What it is kept as, if it is. */
export type Gate = (candidate: Candidate, place: Place) => Finding | undefined;
