/** What a sentence says, apart from how: equal for the same said again in nearly the same words. */
import { termsOf } from '../../search/ranking/tokens.ts';

/** Words that change nothing about what is said. Not those that turn it round: negations, directions, numbers. */
const WEAK = `user users their the a an is are am was be been being do does have has had that this these those also too
  really very quite so just still currently now actually basically simply definitely absolutely always usually generally
  please well own some any of and will would`;

const weakTerms = new Set(termsOf(WEAK));

/** In the order of the words: `dogs more than cats` is not `cats more than dogs`. */
export function fingerprintOf(content: string): string {
  const terms = termsOf(content);
  const telling = terms.filter((term) => !weakTerms.has(term));
  return (telling.length > 0 ? telling : terms).join(' ');
}
