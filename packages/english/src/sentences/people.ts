/** Which nouns name people: the user's own, and what the user may be. */

import { headOf } from '../judgement/verdicts.ts';
import { LASTING_STATES, NATIONALITIES } from '../words/adjectives.ts';
import { FAMILY, NO_OCCUPATION, OCCUPATION_ENDINGS, OCCUPATIONS, PEOPLE, PETS, ROLES, THINGS_LIKE_OCCUPATIONS } from '../words/nouns.ts';
import type { Token } from './tokens.ts';

export function isOccupation(head: string): boolean {
  const single = head.replace(/s$/, '');
  if (THINGS_LIKE_OCCUPATIONS.has(single)) return false;
  return (
    (OCCUPATION_ENDINGS.test(head) || OCCUPATION_ENDINGS.test(single) || OCCUPATIONS.has(single)) &&
    !NO_OCCUPATION.has(head) &&
    !NO_OCCUPATION.has(single)
  );
}

/** What someone says to be: `nurse`, `vegan`, `Pole`, `dog person`, `mum of two`. */
export function isKindOfPerson(tokens: readonly Token[]): boolean {
  const head = headOf(tokens);
  const single = head.replace(/^(?:ex|non|semi|self)-/, '').replace(/([^s])s$/, '$1');
  if (ROLES.has(single) || LASTING_STATES.has(single) || NATIONALITIES.has(single) || FAMILY.has(single)) return true;
  return isOccupation(head) || ROLES.has(head) || LASTING_STATES.has(head) || NATIONALITIES.has(head) || FAMILY.has(head);
}

/** People and animals that belong to the user. */
export function namesRelation(tokens: readonly Token[]): boolean {
  return tokens.some(({ lower }) => FAMILY.has(lower) || PETS.has(lower) || PEOPLE.has(lower));
}

export function namesFamily(tokens: readonly Token[]): boolean {
  return tokens.some(({ lower }) => [lower, lower.replace(/s$/, '')].some((word) => FAMILY.has(word) || PETS.has(word)));
}
