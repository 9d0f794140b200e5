/** What a question looks for: its terms, and the text that is embedded. */

import { isOrdinaryWord, partsOfName } from './judging/names.ts';
import { MOST_LOOK_UP_WORDS } from './profiles.ts';
import { FUNCTION_WORDS, FUNCTION_WORDS_BY_SCRIPT, type Language } from './words/languages/function-words.ts';
import { minorTermsOf } from './words/languages/unspaced-words.ts';
import { questionTerms } from './words/tokens.ts';
import { termsOfWords } from './words/word-terms.ts';

const functionTerms = new Map<Language, ReadonlySet<string>>();

function functionTermsOf(language: Language): ReadonlySet<string> {
  let terms = functionTerms.get(language);
  if (!terms) {
    terms = new Set(termsOfWords([FUNCTION_WORDS[language], ...FUNCTION_WORDS_BY_SCRIPT].join(' ')));
    functionTerms.set(language, terms);
  }
  return terms;
}

/** Of English, and of scripts that tell their language. */
export function isFunctionTerm(term: string): boolean {
  return functionTermsOf('english').has(term);
}

/** A pasted page as a question: what follows adds cost, not meaning. */
const MOST_QUERY_WORDS = 2_000;
const MOST_QUERY_TERMS = 256;

export interface QueryTerms {
  readonly content: readonly string[];
  /** Function words beside content words, and what words may be if the question is of another language. */
  readonly minor: readonly string[];
  /** Whether it is a few words to look up, and no sentence. */
  readonly isLookUp: boolean;
}

/**
 * Each term once. Where there are only function words they are the content. In a language that is told, a word counts as it is spelled and by its
 * stem; where none is told, the stems that it may have are minor: texts in English have none of them.
 */
export function queryTerms(text: string): QueryTerms {
  const { terms, languages, stems } = questionTerms(text, MOST_QUERY_WORDS);
  const functionSets = (languages.length > 0 ? languages : (['english'] as const)).map(functionTermsOf);
  const unspaced = minorTermsOf(text);
  const isFunction = (term: string) => unspaced.has(term) || functionSets.some((set) => set.has(term));
  const distinct = [...new Set(terms)];
  const words = distinct.filter((term) => !isFunction(term)).slice(0, MOST_QUERY_TERMS);
  if (words.length === 0) return { content: distinct, minor: [], isLookUp: false };
  const minor = distinct.filter(isFunction);
  const isLookUp = minor.length === 0 && words.length <= MOST_LOOK_UP_WORDS;
  const some = stems.slice(0, MOST_QUERY_TERMS);
  if (languages.length === 0) return { content: words, minor: [...minor, ...some], isLookUp };
  return { content: [...words, ...some], minor, isLookUp };
}

const ROLES = ['user', 'assistant', 'system', 'tool'];

/**
 * The question without the names of those who take part: the vectors of what *mentions* a person would win over what the person *said*.
 * The words of the question keep the names.
 */
export function queryForEmbedding(text: string, participants: Iterable<string>): string {
  const whole = [...participants].map((name) => name.trim());
  const names = [...new Set(whole.flatMap((name) => [name, ...partsOfName(name)]))].filter(
    (name) => name !== '' && !ROLES.includes(name.toLowerCase()),
  );
  if (names.length === 0) return text;
  const alternatives = names.sort((a, b) => b.length - a.length || (a < b ? -1 : 1)).map((name) => RegExp.escape(name));
  const asWords = new RegExp(`(?<![\\p{L}\\p{N}_])(?:${alternatives.join('|')})(?:['’]s|(?<=s)['’])?(?![\\p{L}\\p{N}_])`, 'giu');
  const rest = text
    .replace(asWords, (name, at: number) => (isOrdinaryWord(text, at, name) ? name : ' '))
    .replace(/\s+/g, ' ')
    .trim();
  return /[\p{L}\p{N}]/u.test(rest) ? rest : text;
}
