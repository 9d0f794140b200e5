/** The constants of each kind of scope. Measured on conversations and abstracts; each stands where those beside it are as good within a point. */

import type { Judgements } from './judging/features.ts';
import { judgements } from './judging/learnt-weights.ts';

export type ProfileName = 'messages' | 'memories' | 'chunks';

export interface Profile {
  /** BM25: how soon repetitions of a word stop counting, and how much long texts are held back. */
  readonly k1: number;
  readonly b: number;
  /** How often a word of the prefix (title and headings, speaker) counts. */
  readonly prefixWeight: number;
  /** The vectors' part of the score; the words have the rest. */
  readonly vectorShare: number;
  /** How much of the words' and of the vectors' part is judged on an item together with those before and after it. */
  readonly neighbourWordShare: number;
  readonly neighbourVectorShare: number;
  /** Of how many items on each side the words count; of the vectors, the nearest on each side. 0: items stand alone. */
  readonly wordReach: number;
  /** Neighbours no longer belong together after such a pause. */
  readonly pauseMs: number;
  /** Whether the time of an item is among its words (month, day, year). */
  readonly timeAsWords: boolean;
  /** Whether texts may begin with the name of who speaks. */
  readonly hasSpeakers: boolean;
  /** How many of the best texts are looked at for words that they share. 0: none. */
  readonly feedbackTexts: number;
  /** Whether it is told of each text whether it asks, and what it tells. */
  readonly hasTraits: boolean;
  /** What counts of those who are the best by words and vectors, and how likely they are answers then. */
  readonly judgements: Judgements;
}

export const profiles: Record<ProfileName, Profile> = {
  messages: {
    // The textbook's; from 0.9 to 2 nothing changes.
    k1: 1.2,
    b: 0.75,
    prefixWeight: 1,
    // Words and meaning alike; 0.4 loses a point, 0.6 half of one.
    vectorShare: 0.5,
    // An answer seldom repeats its question: most of the evidence stands in the turns around. 0.5: a point less.
    neighbourWordShare: 0.75,
    neighbourVectorShare: 0.5,
    // Words come back within a few turns; the vectors of turns further off blur the place. 1: two points less, 3: as good.
    wordReach: 2,
    // Who comes back after a night begins a new conversation.
    pauseMs: 6 * 3_600_000,
    // 'What did we say in May?': two points on conversations.
    timeAsWords: true,
    hasSpeakers: true,
    // Nothing on conversations.
    feedbackTexts: 0,
    hasTraits: true,
    judgements: judgements.messages,
  },
  // Not measured: there is no collection of memories. The constants of messages without what belongs to talk.
  memories: {
    k1: 1.2,
    b: 0.75,
    prefixWeight: 1,
    vectorShare: 0.5,
    // Memories are statements of their own; what stands beside one says nothing of it.
    neighbourWordShare: 0,
    neighbourVectorShare: 0,
    wordReach: 0,
    pauseMs: 0,
    timeAsWords: false,
    hasSpeakers: false,
    feedbackTexts: 0,
    hasTraits: true,
    judgements: judgements.memories,
  },
  chunks: {
    k1: 1.2,
    b: 0.75,
    // A title says what a text is about: a point on abstracts; 3 and 4 are as good.
    prefixWeight: 2,
    vectorShare: 0.5,
    neighbourWordShare: 0,
    neighbourVectorShare: 0,
    wordReach: 0,
    pauseMs: 0,
    timeAsWords: false,
    hasSpeakers: false,
    // A point on abstracts; 3 and 8 are within half of one.
    feedbackTexts: 5,
    hasTraits: false,
    judgements: judgements.chunks,
  },
};

/** A word of no more items than this, and of no more than this share of the scope, is rare: it names what is looked for. 1: nearly as good. */
export const RARE_WORD_ITEMS = 3;
export const RARE_WORD_SHARE = 0.1;
/** From this share of the question's words on, by how much they say, an item goes by its rare words first; from 0.4 to 0.6 nothing changes. */
export const RARE_WORDS_DECIDE = 0.5;
/** A question of no more words than these, and of no function words, looks something up: there an item with rare words of it comes first. */
export const MOST_LOOK_UP_WORDS = 4;
/** What the whole of a question in rare words counts then: more than all else together. */
export const LOOK_UP_WEIGHT = 12;
/** Entries of words that one search reads; what is beyond is in so many items that it tells none from another. */
export const MOST_ENTRIES_READ = 1_000_000;

/** Up to here every vector is compared exactly; beyond, 1-bit codes choose whom to compare. */
export const EXACT_SCAN_ITEMS = 20_000;
/** How many the codes propose: of 99,000, 300 hold the ten nearest to a sentence of their kind; for questions on other matters 2,000 hold 99 %. */
export const NEAREST_CANDIDATES = 2000;
/** How many the words propose, each item judged alone; 2,000 are no better. */
export const WORD_CANDIDATES = 1000;
/** Where vectors are at rest: of how many they are read, the best by words and codes. 100 and 200 are as good, within 0.003 of judging all. */
export const READ_CANDIDATES = 150;
/** And no fewer for each hit that is asked for. */
export const READ_FOR_EACH = 4;
/** The mean similarity of a scope is the floor of its vectors' scores; in a scope of few items it is no measure, and counts less. */
export const FLOOR_ITEMS = 10;
/** What a function word counts beside content words, in the item itself; 0 loses half a point on conversations, 0.1 to 0.2 are equal. */
export const MINOR_WORD_WEIGHT = 0.2;
/** A function word of more items than this tells none from another, and is not worth the time. */
export const MINOR_WORD_ITEMS = 10_000;
/** How many of the best by words and vectors are looked at more closely, and no fewer for each hit that is asked for. 300 are no better. */
export const LEAST_SHORTLISTED = 150;
export const SHORTLISTED_FOR_EACH = 3;
/** Of those, the best whose tokens are read, with those of their neighbours. */
export const JUDGED_BY_TOKENS = 50;
/** Empty slots are cleared when they are more than this share of all. */
export const MOST_EMPTY_SHARE = 0.25;
