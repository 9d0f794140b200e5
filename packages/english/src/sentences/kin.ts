/** Someone of the user's named in a question or a request, of whom `he`, `she` or `they` tells more. */

import { namesFamily } from './people.ts';
import type { Token } from './tokens.ts';

const PLURAL = /(?:s|children|people|folks)$/;

/** The last `my dad` of a run of words; none where it is `my dad's`. */
export function kinIn(tokens: readonly Token[]): readonly Token[] | undefined {
  const at = tokens.findLastIndex(
    ({ lower }, i) => (lower === 'my' || lower === 'our') && tokens[i + 1] !== undefined && namesFamily([tokens[i + 1] as Token]),
  );
  return at === -1 || tokens[at + 2]?.lower === "'s" ? undefined : tokens.slice(at, at + 2);
}

export function withKin(tokens: readonly Token[], kin: readonly Token[]): readonly Token[] {
  const [first, verb] = tokens;
  const noun = kin[1];
  if (!noun || !first || verb?.tag === undefined) return tokens;
  const fits = PLURAL.test(noun.lower) ? first.lower === 'they' : first.lower === 'he' || first.lower === 'she';
  return fits && ['AUX', 'VERB', 'ADV'].includes(verb.tag) ? [...kin, ...tokens.slice(1)] : tokens;
}
