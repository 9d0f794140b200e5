/** What speaks for an item, or against it, beside its words and its vector. Each is 0 where it says nothing. */

import { type AskedDates, meetsDates } from './dates.ts';
import type { Question } from './questions.ts';
import { ASKS, BY_ASSISTANT, BY_USER, TELLS_NUMBER, TELLS_TIME } from './traits.ts';

/** The one whom the question names, under one of these numbers, said it: what a person said of himself answers what is asked of him. */
export function speakerSignal(named: ReadonlySet<number>, speaker: number): number {
  return named.has(speaker) ? 1 : 0;
}

/** It asks, and seldom answers. */
export function askingSignal(traits: number): number {
  return traits & ASKS ? 1 : 0;
}

/** A time is asked for, and it tells one. */
export function timeSignal({ asksTime }: Question, traits: number): number {
  return asksTime && traits & TELLS_TIME ? 1 : 0;
}

/** A number is asked for, and it tells one. */
export function numberSignal({ asksNumber }: Question, traits: number): number {
  return asksNumber && traits & TELLS_NUMBER ? 1 : 0;
}

/** It follows a question that is near to what is asked; `near`: how near that one is, 0 to 1. */
export function answerSignal(traitsBefore: number, near: number): number {
  return traitsBefore & ASKS ? near : 0;
}

/** What "I" said is asked of the user's messages, what "you" said of the assistant's. */
export function roleSignal({ asksOfUser, asksOfAssistant }: Question, traits: number): number {
  return (asksOfUser && traits & BY_USER) || (asksOfAssistant && traits & BY_ASSISTANT) ? 1 : 0;
}

/** It was written at a time that the question speaks of. */
export function dateSignal(dates: AskedDates | undefined, time: number): number {
  return dates ? meetsDates(dates, time) : 0;
}

const SITTING_MS = 3 * 3_600_000;

export interface PlacedScore {
  readonly thread: number;
  readonly time: number;
  readonly score: number;
}

/** What else is found near it in time, in the same thread: half of what the best two of those score. */
export function nearbySignal(item: PlacedScore, others: readonly PlacedScore[]): number {
  let [first, second] = [0, 0];
  for (const other of others) {
    if (other === item || other.thread !== item.thread || !(Math.abs(other.time - item.time) <= SITTING_MS)) continue;
    if (other.score > first) [first, second] = [other.score, first];
    else if (other.score > second) second = other.score;
  }
  return (first + second) / 2;
}
