/** Words put in where a fragment leaves them out. */

import { token } from './tokens.ts';

export const I = token('I', 'PRON');
export const AM = token('am', 'AUX', 'be');
export const HAVE = token('have', 'AUX');
export const MY = token('my', 'PRON');
export const IS = token('is', 'AUX', 'be');
export const A = token('a', 'DET');
export const AN = token('an', 'DET');
