/** Words put in where a fragment leaves them out. */

import { LASTING_STATES } from '../words/adjectives.ts';
import { EVENTS, FAMILY, HOUSEHOLD, SYSTEMS } from '../words/nouns.ts';
import { type Token, token } from './tokens.ts';

export const I = token('I', 'PRON');
export const AM = token('am', 'AUX', 'be');
export const HAVE = token('have', 'AUX');
export const MY = token('my', 'PRON');
export const IS = token('is', 'AUX', 'be');
export const A = token('a', 'DET');
export const AN = token('an', 'DET');

/** Only looks like a name at the start of a sentence. */
function isCommon(lower: string): boolean {
  return LASTING_STATES.has(lower) || FAMILY.has(lower) || HOUSEHOLD.has(lower) || SYSTEMS.has(lower) || EVENTS.has(lower);
}

/** As it is written in the middle of a sentence. */
export function inside(first: Token): Token {
  return { ...first, text: first.tag === 'PROPN' && !isCommon(first.lower) ? first.text : first.lower, space: true };
}
