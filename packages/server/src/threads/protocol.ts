/** What the main thread and a thread say to each other. Flat tuples, as they are cloned three times faster than objects. */
import type { HoldCells } from './hold.ts';

type AnyFunction = (...args: never[]) => unknown;

/** Questions are written as a type of functions: `{ add: (one: number, other: number) => number }`. */
export type QuestionName<Questions> = { [Name in keyof Questions]: Questions[Name] extends AnyFunction ? Name : never }[keyof Questions] &
  string;
export type ArgumentsOf<Questions, Name extends keyof Questions> = Questions[Name] extends (...args: infer Args) => unknown ? Args : never;
export type AnswerTo<Questions, Name extends keyof Questions> = Questions[Name] extends (...args: never[]) => infer Answer
  ? Awaited<Answer>
  : never;

export interface StartData {
  readonly cells: HoldCells;
  readonly data: unknown;
}

/** In the place of a question's number, for what is said beside the questions. */
export const NOTICE = 0;
const LAST_NUMBER = 2 ** 31 - 1;

export type Question = readonly [number: number, name: string, ...args: unknown[]];
export type Reply = readonly [number: number, answer: unknown, failure?: Failure];

/** To the thread: to end by itself; to say which questions it has not answered. */
export type NoticeToThread = readonly [typeof NOTICE, 'stop' | 'unanswered'];

export type NoticeFromThread =
  | readonly [typeof NOTICE, 'opened']
  | readonly [typeof NOTICE, 'failed', failure: Failure]
  /** Of the questions up to a number. */
  | readonly [typeof NOTICE, 'unanswered', upTo: number, numbers: readonly number[]];

/** An error as plain data: cloning would drop its properties, and some causes can't be cloned. */
export type Failure = readonly [message: string, stack: string, properties: Readonly<Record<string, unknown>>];

export function nextNumber(number: number): number {
  return number === LAST_NUMBER ? 1 : number + 1;
}

export function toFailure(error: unknown): Failure {
  return error instanceof Error ? [error.message, error.stack ?? error.message, { ...error }] : [String(error), String(error), {}];
}
