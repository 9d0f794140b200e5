/** The few words with which a question is answered, apart from what the user goes on to say. */

import { startsWith, withoutClosers } from '../sentences/phrases.ts';
import { isWord, type Token } from '../sentences/tokens.ts';
import { plainForm } from '../wording/conjugation.ts';
import { phraseList, wordSet } from '../words/sets.ts';

export interface Reply {
  readonly polarity: 'yes' | 'no' | undefined;
  /** What is said beyond `yes` and `no`. */
  readonly value: readonly Token[];
  /** A sentence of its own that follows in the same breath. */
  readonly more: readonly Token[];
}

const LONGEST = 16;
const FILLERS =
  phraseList(`um | uh | er | erm | oh | ah | well | haha | hahaha | lol | hm | hmm | hi | hey | hello | hello again | thanks | ok | okay | so | honestly | actually | sure | ha
like | good question | yes please | to be honest | tbh | mostly yes`);
const YES =
  phraseList(`yes | y | ye | yess | yep | yeah | yea | ya | yup | aye | indeed | correct | absolutely | definitely | certainly | ofc | of course | that is right | that is correct | i do | i am | i have
we do | we are | we have | it is | it does | he is | she is | he does | she does | they do | they are | sure am | sure do | exactly`);
const NO =
  phraseList(`no | nope | nah | none | not really | not at all | i do not | i am not | i have not | we do not | we are not | it is not | it does not | he is not | she is not
he does not | she does not | they do not | they are not | never | nope not really | no not really`);
/** What leaves the question open, or is about something else. */
const OPEN =
  phraseList(`no idea | no clue | no thanks | no thank you | no thx | no worries | no preference | no problem | no need | no matter | no rush | not sure | not yet | not now | not anymore | i do not know | i do not remember | i am not sure | idk | dunno
skip | pass | why | never mind | nevermind | nvm | depends | it depends | irrelevant | just curious | just asking | just wondering | just testing | just kidding | rather not | i would rather not | prefer not
n/a | whatever | who knows | unknown | nothing | same | both | neither | either | all of it | whichever | up to you | you choose | you decide | you pick | you tell | surprise me | does not matter | forget | scratch
delete | stop | guess | maybe | perhaps | probably | yes and no | yes please | kidding | what | how | which | who | where | when | secret | private | anything | everything | any | yes you | that | this | those | these
please | good | fine | great | perfect | not much | not bad | go on | go ahead | later | sorry | wait | hang on | correction`);
const GUESSES = wordSet('maybe perhaps probably possibly think guess kidding joking jk supposedly dunno idk believe pretend');
/** What is to be forgotten is read by those who forget. */
const FORGETTING = wordSet('forget delete erase remove wipe scratch unremember disregard purge');
const JOINING = /^(?:and|but|so|because|cause|since|cuz|bc|as|oh|btw|also|plus|though|well|um|uh|haha|lol|,|;|:|-|–|—|\(|\.|!|…)$/;

/** Nothing where the user leaves it open, asks back, or answers in whole sentences. */
export function replyIn(said: readonly Token[]): Reply | undefined {
  if (said.slice(-4).some(({ text }) => text.startsWith('?')) || said.some(({ lower }) => FORGETTING.has(lower))) return undefined;
  const sentence = said.filter(({ lower }) => !/^(?:um|uh|er|erm)$/.test(lower));
  let at = skipped(sentence, 0);
  if (startsWith(sentence, at, OPEN) > 0) return undefined;
  const polarity = polarityAt(sentence, at);
  if (polarity) at = skipped(sentence, at + polarity.length);
  const behind = sentence.slice(at);
  const again = polarity ? polarityAt(behind, 0) : undefined;
  const rest = again ? behind.slice(skipped(behind, again.length)) : behind;
  const cut = clauseAt(rest);
  const end = endBefore(rest, Math.min(cut, guessAt(rest)));
  // `Yes: in 2027 we would like to …`
  const leads = end === cut && cut < rest.length && rest[0]?.tag === 'ADP';
  const own = leads ? [] : withoutClosers(rest.slice(0, end));
  if (!polarity && own.length === 0) return undefined;
  if (own.filter(isWord).length > LONGEST || startsWith(rest, 0, OPEN) > 0) return undefined;
  if (
    rest.slice(0, end).some(({ lower }) => GUESSES.has(lower)) ||
    isGuessed(rest, end) ||
    own.some(({ lower, text }) => text === ':' || /^(?:yes|no)$/.test(lower))
  ) {
    if (own[0]?.lower !== 'no' || own.slice(1).some(({ lower }) => lower === 'no' || GUESSES.has(lower))) return undefined;
  }
  return { polarity: polarity?.sort, value: own, more: rest.slice(leads ? 0 : cut) };
}

function skipped(tokens: readonly Token[], from: number): number {
  let at = from;
  while (at < tokens.length) {
    const length = isWord(tokens[at]) || /^[$€£#~<>]$/.test(tokens[at]?.text ?? '') ? startsWith(tokens, at, FILLERS) : 1;
    if (length === 0) break;
    at += length;
  }
  return at;
}

/** `no` of `no nuts` is part of what is said; `I do` of `I do pottery` as well. */
function polarityAt(tokens: readonly Token[], at: number): { sort: 'yes' | 'no'; length: number } | undefined {
  const yes = startsWith(tokens, at, YES);
  const no = startsWith(tokens, at, NO);
  const length = Math.max(yes, no);
  const next = tokens[at + length];
  if (length === 0) return undefined;
  if (
    no > yes &&
    length === 1 &&
    next &&
    isWord(next) &&
    tokens[at]?.lower !== 'nope' &&
    tokens[at]?.lower !== 'nah' &&
    !/^(?:not|never|just|only|i|we|it|my|but|lol|haha|actually|thanks|sorry)$/.test(next.lower)
  )
    return undefined;
  if (length > 1 && next && isWord(next)) return undefined;
  return { sort: no > yes ? 'no' : 'yes', length };
}

/** Where a sentence or a clause with its own subject and verb begins; the end without one. */
function clauseAt(tokens: readonly Token[]): number {
  const at = tokens.findIndex((each, i) => {
    const [before, next] = [tokens[i - 1], tokens[i + 1]];
    if (/^[.!;]$/.test(each.text)) return isWord(next);
    if (/^(?:please|pls|dont)$/.test(each.lower) || (each.lower === 'do' && next?.lower === 'not')) return true;
    if (/^(?:that|this)$/.test(each.lower) && before && isWord(before)) return false;
    if (/^(?:i|we|he|she|they|it|there|that|this)$/.test(each.lower)) return /^(?:AUX|VERB|ADV)$/.test(next?.tag ?? '');
    return false;
  });
  const end = at === -1 ? tokens.length : at;
  const verb = tokens.slice(0, end).findIndex((each, i) => i > 0 && isFiniteVerb(each, tokens, i));
  if (verb === -1) return end;
  const stop = tokens.slice(0, verb).findLastIndex(({ lower }) => JOINING.test(lower) && lower !== '-');
  return stop + 1;
}

/** `my mate was bragging`, `the surgeon says`; not `an extension that blocks ads`. */
function isFiniteVerb({ tag, lower, lemma }: Token, tokens: readonly Token[], i: number): boolean {
  if (tokens.slice(Math.max(0, i - 3), i).some((each) => /^(?:that|who|which|where)$/.test(each.lower))) return false;
  if (
    tag === 'VERB' &&
    ['NOUN', 'PROPN'].includes(tokens[i - 1]?.tag ?? '') &&
    !lower.endsWith('ed') &&
    plainForm(lower, lemma).past === true
  )
    return true;
  return tag === 'AUX'
    ? !/^(?:be|been|being|have)$/.test(lower) || tokens[i - 1]?.tag === 'PRON'
    : tag === 'VERB' && lower !== lemma && /[^s]s$/.test(lower);
}

/** `500, maybe 550`: the first is sure. */
function guessAt(tokens: readonly Token[]): number {
  const at = tokens.findIndex(({ lower }, i) => GUESSES.has(lower) && tokens[i - 1]?.text === ',');
  return at > 1 ? at : tokens.length;
}

/** `golf I think`. */
function isGuessed(tokens: readonly Token[], end: number): boolean {
  return tokens.slice(end, end + 4).some(({ lower }, i, all) => GUESSES.has(lower) && /^(?:i|we|just)$/.test(all[i - 1]?.lower ?? ''));
}

function endBefore(tokens: readonly Token[], cut: number): number {
  let end = cut;
  while (cut < tokens.length && end > 0 && JOINING.test(tokens[end - 1]?.lower ?? '')) end--;
  return end;
}
