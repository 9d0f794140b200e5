/** Finds among what is known the memory, and in it the word, that is meant. */

import { isoDay, nearestWeekday } from '../dates/calendar.ts';
import type { KnownMemory } from '../extraction.ts';
import { memoOf } from '../memo.ts';
import { isWord, type Token } from '../sentences/tokens.ts';
import { wordSet } from '../words/sets.ts';

const SMALL = wordSet("the a an my our i that about it to of in on for with is am are was user user's their like now we have has");

export function bestMatch(words: readonly Token[], held: readonly KnownMemory[], least = 0.6): KnownMemory | undefined {
  const wanted = words.filter((each) => isWord(each) && !SMALL.has(each.lower)).map(({ lower }) => stem(lower));
  if (wanted.length === 0) return undefined;
  let [best, most] = [undefined as KnownMemory | undefined, 0];
  for (const memory of held) {
    const own = new Set(
      memory.content
        .toLowerCase()
        .match(/[\p{L}\p{N}'-]+/gu)
        ?.map(stem),
    );
    const shared = wanted.filter((word) => own.has(word)).length / wanted.length;
    if (shared > most) [best, most] = [memory, shared];
  }
  return most >= least ? best : undefined;
}

function stem(word: string): string {
  return word.length > 3 ? word.replace(/(?:ing|es|ed|s)$/, '') : word;
}

/** Whether one may be the other, misspelled. */
export function similar(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 2 || a.length < 3 || a.length > 30 || b.length > 30) return false;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let k = 1; k <= b.length; k++)
      next.push(Math.min((row[k] as number) + 1, (next[k - 1] as number) + 1, (row[k - 1] as number) + Number(a[i - 1] !== b[k - 1])));
    row = next;
  }
  return (row[b.length] as number) <= Math.max(1, Math.floor(b.length / 3));
}

export function datesIn(content: string): readonly string[] {
  return content.match(/\b\d{4}-\d\d-\d\d\b/g) ?? [];
}

/** The weekday nearest to the date given before, not in the past if that one was not. */
export function dayNear(date: string, weekday: number, today: Date): string {
  const base = new Date(date);
  const [ahead, back] = [nearestWeekday(base, weekday, 'future'), nearestWeekday(base, weekday, 'past')];
  const sameWeek = Math.abs(ahead.getTime() - base.getTime()) <= Math.abs(base.getTime() - back.getTime()) ? ahead : back;
  return isoDay(base >= today && sameWeek < today ? ahead : sameWeek);
}

export function wordIn(content: string, text: string): string | undefined {
  const at = content.toLowerCase().indexOf(text.toLowerCase());
  if (at === -1 || text.length === 0) return undefined;
  const bounded = !/[\p{L}\p{N}]/u.test(content[at - 1] ?? ' ') && !/[\p{L}\p{N}]/u.test(content[at + text.length] ?? ' ');
  return bounded ? content.slice(at, at + text.length) : undefined;
}

const NEGATIONS = wordSet('not no longer never stopped stop quit given up anymore does do did has have been being');

/** `User does not eat beef` and `User eats beef again`: one denies what the other says, in the same words. */
export function isOpposite(a: string, b: string): boolean {
  if (isDenial(a) === isDenial(b)) return false;
  const [few, many] = [wordsSaid(a), wordsSaid(b)].sort((x, y) => x.size - y.size) as [ReadonlySet<string>, ReadonlySet<string>];
  const verbOnly = few.size === 1 && stem(a.split(' ')[isDenial(a) ? 3 : 1] ?? '') === stem(b.split(' ')[isDenial(b) ? 3 : 1] ?? '');
  return (few.size > 1 || verbOnly) && [...few].every((word) => many.has(word));
}

/** The same memories are held against each sentence. */
const KEPT = { most: 2_000, longest: 300 };

const isDenial = memoOf(
  (content) => /\b(?:not|no longer|never|stopped|quit|cannot|given up|gave up)\b/.test(content),
  (content: string) => content,
  KEPT,
);

const wordsSaid = memoOf(readWords, (content: string) => content, KEPT);

function readWords(content: string): ReadonlySet<string> {
  const words = content.toLowerCase().match(/[\p{L}\p{N}'-]+/gu) ?? [];
  return new Set(words.filter((word) => !SMALL.has(word) && !NEGATIONS.has(word)).map((word) => stem(word).replace(/e$/, '')));
}

/** A longer word that both have. */
export function sharesNoun(a: string, b: string): boolean {
  const other = wordsSaid(b);
  return [...wordsSaid(a)].some((word) => word.length > 4 && other.has(word) && !/^(?:want|prefer|like|assistant|alway)/.test(word));
}
