/** Whether one text says what another says already. */
import { termsOf } from '../search/ranking/tokens.ts';

/** Enough to tell texts apart. */
const MOST_TERMS = 400;
const LONGEST_OVERLAP = 600;
const SHORTEST_OVERLAP = 20;

/** Who speaks of the user says nothing by that. */
const SAYS_NOTHING = new Set(termsOf('user the a an is are was were i my me'));

/** Stands among the terms of a statement that denies something. */
const DENIAL = '¬';
const DENIES = /\b(?:not|no|never|cannot|without)\b|n['’]t\b/i;

export function meaningfulTerms(text: string): ReadonlySet<string> {
  const terms = new Set(termsOf(text, MOST_TERMS).filter((term) => !SAYS_NOTHING.has(term)));
  return DENIES.test(text) ? terms.add(DENIAL) : terms;
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
