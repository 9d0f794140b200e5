/** Words put in where a fragment leaves them out. */

import { type Token, token } from './tokens.ts';
import { LASTING_STATES } from './words/adjectives.ts';

export const I = token('I', 'PRON');
export const AM = token('am', 'AUX', 'be');
export const HAVE = token('have', 'AUX');
export const MY = token('my', 'PRON');
export const IS = token('is', 'AUX', 'be');
export const A = token('a', 'DET');
export const AN = token('an', 'DET');

/** As it is written in the middle of a sentence. */
export function inside(first: Token): Token {
  return { ...first, text: first.tag === 'PROPN' && !LASTING_STATES.has(first.lower) ? first.text : first.lower, space: true };
}
