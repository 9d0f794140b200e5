/** What a question looks for: its terms, and the text that is embedded. */

import { FUNCTION_WORDS, FUNCTION_WORDS_BY_SCRIPT, type Language } from './languages/function-words.ts';
import { minorTermsOf } from './languages/unspaced-words.ts';
import { questionTerms } from './tokens.ts';
import { termsOfWords } from './word-terms.ts';

const inAnyLanguage = termsOfWords(FUNCTION_WORDS_BY_SCRIPT.join(' '));
const functionTerms = new Map<Language, ReadonlySet<string>>();

function functionTermsOf(language: Language): ReadonlySet<string> {
  let terms = functionTerms.get(language);
  if (!terms) {
    terms = new Set([...termsOfWords(FUNCTION_WORDS[language]), ...inAnyLanguage]);
    functionTerms.set(language, terms);
  }
  return terms;
}

/** A pasted page as a question: what follows adds cost, not meaning. */
const MOST_QUERY_WORDS = 2_000;
const MOST_QUERY_TERMS = 256;

export interface QueryTerms {
  readonly content: readonly string[];
  /** Function words beside content words. */
  readonly minor: readonly string[];
}

/** Each term once. Where there are only function words they are the content. */
export function queryTerms(text: string): QueryTerms {
  const { terms, stems, languages } = questionTerms(text, MOST_QUERY_WORDS);
  const functionSets = (languages.length > 0 ? languages : (['english'] as const)).map(functionTermsOf);
  const unspaced = process.env.NOSEG ? new Set() : minorTermsOf(text);
  const isFunction = (term: string) => unspaced.has(term) || functionSets.some((set) => set.has(term));
  const distinct = [...new Set(terms)];
  const words = distinct.filter((term) => !isFunction(term)).slice(0, MOST_QUERY_TERMS);
  if (words.length === 0) return { content: distinct, minor: [] };
  const minor = distinct.filter(isFunction);
  const ofStems = [...new Set(stems)].slice(0, MOST_QUERY_TERMS);
  const V = process.env.V ?? 'U';
  if (V === 'E') return { content: words, minor };
  if (languages.length === 0) return V.includes('n') ? { content: words, minor } : V.includes('c') ? { content: [...words, ...ofStems], minor } : { content: words, minor: [...minor, ...ofStems] };
  if (V.includes('U')) return { content: [...words, ...ofStems], minor };
  if (V.includes('S')) return { content: [...words.filter((w) => /[^a-z]/.test(w)), ...ofStems], minor };
  return { content: [...words.filter((w) => /[^a-z]/.test(w)), ...ofStems], minor: [...minor, ...words.filter((w) => !/[^a-z]/.test(w))] };
}

const ROLES = ['user', 'assistant', 'system', 'tool'];

/**
 * The question without the names of those who take part: the vectors of what *mentions* a person would win over what the person *said*.
 * The words of the question keep the names.
 */
export function queryForEmbedding(text: string, participants: Iterable<string>): string {
  const names = [...new Set([...participants].map((name) => name.trim()))].filter(
    (name) => name !== '' && !ROLES.includes(name.toLowerCase()),
  );
  if (names.length === 0) return text;
  const alternatives = names.sort((a, b) => b.length - a.length || (a < b ? -1 : 1)).map((name) => RegExp.escape(name));
  const asWords = new RegExp(`(?<![\\p{L}\\p{N}_])(?:${alternatives.join('|')})(?:['’]s)?(?![\\p{L}\\p{N}_])`, 'giu');
  const rest = text.replace(asWords, ' ').replace(/\s+/g, ' ').trim();
  return /[\p{L}\p{N}]/u.test(rest) ? rest : text;
}
