/** What a question looks for: its terms, and the text that is embedded. */

import { partsOfName } from './names.ts';
import { termsOf } from './tokens.ts';

const FUNCTION_WORDS = new Set(
  `a about above after again against all am an and any are as at be because been before being below between both but by can cannot
  could did do does doing don down during each few for from further had has have having he her here hers herself him himself his how i
  if in into is it its itself just me more most my myself no nor not now of off on once only or other our ours ourselves out over own
  same she should so some such t than that the their theirs them themselves then there these they this those through to too under until
  up very was we were what when where which while who whom why will with would you your yours yourself yourselves`
    .split(/\s+/)
    .flatMap((word) => termsOf(word)),
);

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
  const terms = [...new Set(termsOf(text, MOST_QUERY_WORDS))];
  const content = terms.filter((term) => !FUNCTION_WORDS.has(term)).slice(0, MOST_QUERY_TERMS);
  if (content.length === 0) return { content: terms, minor: [] };
  return { content, minor: terms.filter((term) => FUNCTION_WORDS.has(term)) };
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
  const asWords = new RegExp(`(?<![\\p{L}\\p{N}_])(?:${alternatives.join('|')})(?:['’]s)?(?![\\p{L}\\p{N}_])`, 'giu');
  const rest = text.replace(asWords, ' ').replace(/\s+/g, ' ').trim();
  return /[\p{L}\p{N}]/u.test(rest) ? rest : text;
}
