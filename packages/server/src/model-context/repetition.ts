/** Whether one text says what another says already. */
import { termsOf } from '../search/ranking/words/tokens.ts';

/** Enough to tell texts apart. */
const MOST_TERMS = 400;
const LONGEST_OVERLAP = 600;
const SHORTEST_OVERLAP = 20;

/** Who speaks of the user says nothing by that. */
const SAYS_NOTHING = new Set(termsOf('user the a an is are was were i my me'));

/** Stands among the terms of a statement that denies something. */
const DENIAL = '¬';
const DENIES = /\b(?:not|no|never|cannot|without)\b|n['’]t\b/i;

/** The pages of a handbook come again and again. All are forgotten when there are too many. */
const KEPT_TEXTS = 1_000;
const LONGEST_KEPT = 2_000;
const keptTerms = new Map<string, ReadonlySet<string>>();

export function meaningfulTerms(text: string): ReadonlySet<string> {
  const kept = keptTerms.get(text);
  if (kept) return kept;
  const terms = new Set(termsOf(text, MOST_TERMS).filter((term) => !SAYS_NOTHING.has(term)));
  if (DENIES.test(text)) terms.add(DENIAL);
  if (keptTerms.size >= KEPT_TEXTS) keptTerms.clear();
  if (text.length <= LONGEST_KEPT) keptTerms.set(text, terms);
  return terms;
}

/** How much of a statement another says: nothing where one denies what the other says. */
export function sharedPart(terms: ReadonlySet<string>, other: ReadonlySet<string>): number {
  return terms.has(DENIAL) === other.has(DENIAL) ? containment(terms, other) : 0;
}

/** The share of the terms that another has too. */
function containment(terms: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (terms.size === 0) return 0;
  let common = 0;
  for (const term of terms) if (other.has(term)) common++;
  return common / terms.size;
}

/** A summary says a thing in one of its sentences, not by words from all over it. */
export function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?])\s+|\n+/).filter((sentence) => sentence.trim() !== '');
}

export function normalized(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLowerCase();
}

/** The text without what the end of the one before it says already: chunks of a document overlap. */
export function withoutOverlap(before: string, text: string): string {
  for (let length = Math.min(LONGEST_OVERLAP, text.length, before.length); length >= SHORTEST_OVERLAP; length--) {
    if (before.endsWith(text.slice(0, length))) return text.slice(length).trimStart();
  }
  return text;
}
