/** Requests without such a verb: `I don't want that stored`, `pretend I never said it`. */

import { targetOf } from './targets.ts';
import { type FoundRequest, MOST_WORDS, type PlainWord, textOfWords, wordAfter } from './words.ts';

/** `I don't want it stored`: what is meant stands before the verb. */
const STATE = `(?:to be |being )?(?:stored|kept|saved|remembered|recorded|retained|logged|memori[sz]ed|noted|written down|brought up|held|on (?:record|file|any record)|in (?:your|the|any) (?:memory|notes|records?|files?|system|database|head|mind)|in a file|sitting in a file|to come up|come up|floating around|hanging around|known)`;
const GONE = `(?:to be |being )?(?:forgotten|deleted|erased|removed|wiped|gone|purged|scrubbed|expunged|taken out|taken off|struck)`;
const UNWANTED = new RegExp(
  `\\b(?:(?:do|would|did) not (?:want|like|wish|need)|no longer (?:want|wish)|rather not have|rather|not comfortable (?:with|having)|hate having|prefer not to have|not like having|do not like|prefer|not keen on|uncomfortable (?:with|having)) (?:(?:to have |having )?(?<thing>[^,.;!?]{1,60}?)) (?:not |(?:was|were|is|be|did|does) not (?:be )?)?(?:any of )?${STATE}\\b`,
);
const WANTED_GONE = new RegExp(`(?<!not )\\b(?:want|like|need|prefer|wish|rather have)(?: to have)? (?<thing>[^,.;!?]{1,60}?) ${GONE}\\b`);
const TO_BE_GONE = new RegExp(
  `(?:^|[,.;:!?] ?|\\b(?:and|but|so|then) )(?<thing>[^,.;:!?]{1,60}?) (?:can|should|must|may|needs? to|has to|ought to) be ${GONE}\\b`,
);
const NEVER_SAID =
  /(?:\b(?:pretend|act|treat|consider|behave|imagine|as if|as though)\b[^.;!?]{0,40}?)\b(?:i|we) (?:(?:had|have) )?(?:never|not|did not|have not|had not)(?: \w+)? ?(?:said|say|told|tell|mentioned|mention|wrote|write|brought|bring|asked|ask|shared|share|happened)(?: (?:you|it|that|this|anything|a word|a thing|up|any of (?:it|that|this)|to you|so))*|\b(?:pretend|act like|act as if) (?:it|that|this|none of (?:it|that|this)) (?:never|did not|had not) (?:happen|happened|exist|existed|come up|came up)/;
const DID_NOT_WANT = /^(?:(?:no|well|hmm|,) ?)*i (?:would|had) rather you (?:did not|do not|not)(?: do that)? ?(?:[.!,]|$)/;

/** `I don't want that stored`, `pretend I never said it`. Looked for where a clause begins. */
export function requestByWish(words: readonly PlainWord[], i: number, done: number): FoundRequest | undefined {
  if (i !== done && !words[i - 1]?.isStop && !/^(?:i|pretend|act|treat|consider|as)$/.test(words[i]?.lower ?? '')) return undefined;
  const text = textOfWords(words, i, i + MOST_WORDS);
  const never = NEVER_SAID.exec(text) ?? DID_NOT_WANT.exec(text);
  const found = never?.index === 0 ? never : (UNWANTED.exec(text) ?? WANTED_GONE.exec(text) ?? TO_BE_GONE.exec(text));
  if (!found || (found !== never && !/^(?:[\w']+ ){0,3}$/.test(text.slice(0, found.index)))) return undefined;
  if (/\b(?:how|why|what if|whether)\b/.test(text.slice(0, found.index))) return undefined;
  const thing = found.groups?.thing;
  const about = found === never ? / about .*/.exec(text.slice(found[0].length)) : null;
  const named = about?.index === 0 ? targetOf('forget', about[0].trimStart()) : undefined;
  if (named) return { target: named.target, from: i, to: wordAfter(words, i, found[0].length + 1 + named.length) };
  const target = /^(?:to )?be$/.test(thing ?? '')
    ? ({ what: 'all', but: undefined } as const)
    : thing === undefined
      ? ({ what: 'last', isFirm: true } as const)
      : targetOf('remember', thing.replace(/^(?:you to |to )/, ''))?.target;
  return target && { target, from: i, to: wordAfter(words, i, found.index + found[0].length) };
}
