/** Recognises that a sentence asks for something to be forgotten, in its many wordings, and what is left of the sentence. */

import { sentencesOf, type Token } from '../sentences/tokens.ts';
import { wordSet } from '../words/sets.ts';
import { mayAskToForget, type PlainWord, plainWordsOf } from './spelling.ts';
import { type ReadTarget, type RequestSort, type Target, targetOf } from './targets.ts';

export type { Target } from './targets.ts';

/** What a sentence says, in order: what it asks to forget, and what it says beside. */
export type SentencePart = { readonly forgets: Target } | { readonly says: readonly Token[] };

const FORGET = wordSet('forget unlearn unremember');
const REMOVE = wordSet(
  'delete erase remove wipe purge scrub clear drop discard scrap scratch strike expunge lose ditch redact trash take cross throw put reset',
);
const IGNORE = wordSet('ignore disregard nevermind mind');
const KEEP = wordSet('keep store save record retain log note write put');
const REMEMBER = wordSet('remember memorize memorise know hold hang');
const GERUNDS: Readonly<Record<string, string>> = {
  forgetting: 'forget',
  deleting: 'delete',
  erasing: 'erase',
  removing: 'remove',
  wiping: 'wipe',
  clearing: 'clear',
  dropping: 'drop',
  remembering: 'remember',
  keeping: 'keep',
  storing: 'store',
  saving: 'save',
  recording: 'record',
};
/** `I'd prefer it if you forgot …`. */
const PASTS: Readonly<Record<string, string>> = {
  forgot: 'forget',
  deleted: 'delete',
  erased: 'erase',
  removed: 'remove',
  wiped: 'wipe',
  dropped: 'drop',
};
const PREFERS = /\b(?:prefer|rather|like|love|appreciate|wish|grateful|better|happier)(?: it)?(?: if| that)? you$/;
/** Verbs whose second half stands behind their object. */
const PARTED = new Map([
  ['take', /^ ?(.{1,60}?) (?:off|out|back|away)(?= (?:of|from) (?:your|the)\b| again| ?$| ?[,.;!?])/],
  ['cross', /^ ?(.{1,60}?) (?:off|out)\b|^ (?:off|out) (.{1,60})/],
  ['throw', /^ ?(.{1,60}?) (?:out|away)\b|^ (?:out|away) (.{1,60})/],
  ['let', /^ ?(.{1,40}?) go(?= ?$| ?[,.;!?])|^ ?go of (.{1,60})/],
  ['put', /^ ?(.{1,60}?) out of your (?:mind|head|memory)\b/],
]);
/** `… everything about me, including my address`. */
const GOES_ON = wordSet('including especially without which who such starting particularly namely');
const MOST_WORDS = 30;

/** What a request may follow right away: nothing, a stop, or a word that opens a clause. */
const OPENS =
  /(?:^|(?:^|[,.;:!?] )always|[,.;:!?()–—&…-]|\b(?:from on|and|but|so|then|or|well|no|yes|yeah|yep|nah|nope|wait|ps|hmm|anyway|though|tho|way|thoughts?|reflection|what|first|that|it|this|alright|cool|great|fine|right|next|too|again|either|can|could|will|would|time|sure to|free to|all right|argh|ugh|oops|whoops|eek|man|mate|dude|k|thank you|you know what|go ahead and|let us|better|question|lets|after all))$/;
const ASKS =
  /(?:\b(?:can|could|would|will|may) (?:you|u)|\byou (?:can|may|could|should|must|have to|need to|might as well|had better|can safely|will|would)|\b(?:want|like|ask|need|prefer|wish|beg|urge|request|require|expect|trust|grateful|love|rather|asking|requesting|invite|tell|told|asked|hereby ask) (?:that |for |if )?you(?: to| would| could)?|\b(?:kind|good) (?:as|enough) to|\bif you (?:would|could|can|will)|\b(?:is|would) it (?:be )?(?:possible|ok|okay)(?: for you)? to|\bdo you (?:think|reckon) you (?:can|could)|\b(?:like|want|wish|ask|prefer) to have you)$/;
const NOT_ASKED =
  /\b(?:how|why|when|where|who|did|if|does)(?: \w+){0,2} (?:can|could|would|will) (?:you|u)$|\b(?:how|why) (?:can|could|would|will) (?:you|u)$/;
/** Who forgets, if it is not asked for. */
const SUBJECTS = /\b(?:i|we|they|he|she|you|u|people|everyone|to|not|never|who|always|can|could|would|will|should|may|might|that)$/;
const MIND =
  /\b(?:would|do|will|if) you (?:not )?mind$|(?:^|[,.;:!?]) ?mind$|\b(?:thank you for|appreciate (?:it if )?you|appreciate|how about)$/;
/** `don't remember that`, `I'd rather you didn't keep it`. */
const REFUSES = [
  /(?:^|[,.;:!?()–—&…-]|\b(?:and|but|so|then|or|well|no|yes|yeah|wait|ps|hmm|anyway|though|tho|way|thoughts?|reflection|what|better|golf|puns)) ?(?:do not|never|stop|no need to|not|do not you dare|do not you|not necessary to|no reason to)$/,
  /(?:^| )(?!(?:i|we|they|you|u|who|people|that|which|\w+s) )\S+ do not$/,
  /\b(?:can|could|would|will|may|might) (?:you|u) (?:not|never|stop)$/,
  /\b(?:you|u) (?:do not|need not|should not|must not|may not|can not|shall not|better not|had better not)(?: have to| need to)?$/,
  /\bnot (?:want|wish|like|need|think|ask|asking) (?:that )?you (?:to|should|need to)$/,
  /\b(?:rather|prefer|like|prefer it|grateful|appreciate it|ask|wish|hope|love it|better)(?: it)?(?: if| that)? you (?:did not|do not|would not|not|could not|never|will not)(?: to)?$/,
  /\b(?:ask|want|tell|like|need|prefer|urge|beg|asking) you not to$/,
  /\b(?:would rather|prefer to|rather|prefer) not(?: have you| you)?$/,
];
/** `I don't want it stored`: what is meant stands before the verb. */
const STATE = `(?:to be |being )?(?:stored|kept|saved|remembered|recorded|retained|logged|memori[sz]ed|noted|written down|brought up|held|on (?:record|file|any record)|in (?:your|the|any) (?:memory|notes|records?|files?|system|database|head|mind)|in a file|sitting in a file|to come up|come up|floating around|hanging around|known)`;
const GONE = `(?:to be |being )?(?:forgotten|deleted|erased|removed|wiped|gone|purged|scrubbed|expunged|taken out|taken off|struck)`;
const UNWANTED = new RegExp(
  `\\b(?:(?:do|would|did) not (?:want|like|wish|need)|no longer (?:want|wish)|rather not have|rather|not comfortable (?:with|having)|hate having|prefer not to have|not like having|do not like|prefer|not keen on|uncomfortable (?:with|having)) (?:(?:to have |having )?(?<thing>[^.;!?]{1,60}?)) (?:not |(?:was|were|is|be|did|does) not (?:be )?)?(?:any of )?${STATE}\\b`,
);
const WANTED_GONE = new RegExp(`\\b(?:want|like|need|prefer|wish|rather have)(?: to have)? (?<thing>[^.;!?]{1,60}?) ${GONE}\\b`);
const TO_BE_GONE = new RegExp(
  `(?:^|[,.;:!?] ?|\\b(?:and|but|so|then) )(?<thing>[^,.;:!?]{1,60}?) (?:can|should|must|may|needs? to|has to|ought to) be ${GONE}\\b`,
);
const NEVER_SAID =
  /(?:\b(?:pretend|act|treat|consider|behave|imagine|as if|as though)\b[^.;!?]{0,40}?)\b(?:i|we) (?:(?:had|have) )?(?:never|not|did not|have not|had not)(?: \w+)? ?(?:said|say|told|tell|mentioned|mention|wrote|write|brought|bring|asked|ask|shared|share|happened)(?: (?:you|it|that|this|anything|a word|a thing|up|any of (?:it|that|this)|to you|so))*|\b(?:pretend|act like|act as if) (?:it|that|this|none of (?:it|that|this)) (?:never|did not|had not) (?:happen|happened|exist|existed|come up|came up)/;
const DID_NOT_WANT = /^(?:(?:no|well|hmm|,) ?)*i (?:would|had) rather you (?:did not|do not|not)(?: do that)? ?(?:[.!,]|$)/;

/** Its parts, where it asks for something to be forgotten; undefined where it does not. */
export function partsOfRequest(sentence: readonly Token[]): readonly SentencePart[] | undefined {
  if (!mayAskToForget(sentence.map(({ lower }) => lower).join(' '))) return undefined;
  const words = plainWordsOf(sentence);
  const parts: SentencePart[] = [];
  let done = 0;
  for (let i = 0; i < words.length; i++) {
    const found = requestAt(words, i, done);
    if (!found) continue;
    const before = sentence.slice(words[done]?.index ?? 0, words[found.from]?.index ?? 0);
    if (done < found.from && before.length > 0) parts.push({ says: before });
    parts.push({ forgets: found.target });
    done = opensAfter(words, found.to);
    i = Math.max(i, done - 1);
  }
  if (parts.length === 0) return undefined;
  const rest = words[done];
  if (rest && !GOES_ON.has(rest.lower)) parts.push({ says: sentence.slice(rest.index) });
  return parts;
}

/** What a text asks to be forgotten, in order. */
export function targetsIn(text: string): Target[] {
  if (!mayAskToForget(text)) return [];
  return sentencesOf(text).flatMap((sentence) =>
    (partsOfRequest(sentence) ?? []).flatMap((part) => ('forgets' in part ? [part.forgets] : [])),
  );
}

interface FoundRequest {
  readonly target: Target;
  /** The first word of it, and the first behind it. */
  readonly from: number;
  readonly to: number;
}

function requestAt(words: readonly PlainWord[], i: number, done: number): FoundRequest | undefined {
  const word = words[i] as PlainWord;
  return byVerb(words, i, done) ?? (word.isStop ? undefined : byWish(words, i, done));
}

/** `delete that`, `could you forget …`, `don't store …`. */
function byVerb(words: readonly PlainWord[], i: number, done: number): FoundRequest | undefined {
  const word = words[i] as PlainWord;
  const before = textOf(words, Math.max(done, i - 9), i);
  const wished = PREFERS.test(before) ? PASTS[word.lower] : undefined;
  const verb = wished ?? GERUNDS[word.lower] ?? word.lower;
  const isGerund = wished === undefined && verb !== word.lower;
  const sort = sortOf(verb, words, i, before, isGerund, wished !== undefined);
  if (sort === undefined) return undefined;
  const skipped = lengthOfVerb(verb, words, i);
  const rest = textOf(words, i + skipped, i + skipped + MOST_WORDS);
  const read = readTarget(verb, sort, rest);
  if (!read) return undefined;
  const to = wordAfter(words, i + skipped, read.length);
  // `scratch that, I prefer tea` puts right what was said.
  if (/^(?:scratch|strike)$/.test(verb) && read.target.what === 'last' && !read.target.isFirm && goesOn(words, to)) return undefined;
  return { target: read.target, from: startOf(words, i, done), to };
}

/** Something is said after it that is no request to forget. */
function goesOn(words: readonly PlainWord[], to: number): boolean {
  const next = opensAfter(words, to);
  return next < words.length - 2 && !words.slice(next).some((_, i) => requestAt(words, next + i, next));
}

function sortOf(
  verb: string,
  words: readonly PlainWord[],
  i: number,
  before: string,
  isGerund: boolean,
  isWished: boolean,
): RequestSort | undefined {
  const kept: RequestSort | undefined = REMEMBER.has(verb) ? 'remember' : KEEP.has(verb) ? 'keep' : undefined;
  if (kept && (isGerund ? /(?:^|[,.;:!?]| )(?:stop|mind not|you not)$/.test(before) : REFUSES.some((pattern) => pattern.test(before))))
    return kept;
  const sort: RequestSort | undefined = FORGET.has(verb)
    ? 'forget'
    : REMOVE.has(verb) || (verb === 'get' && words[i + 1]?.lower === 'rid') || verb === 'let'
      ? 'remove'
      : IGNORE.has(verb) && (verb !== 'mind' || words[i - 1]?.lower === 'never')
        ? 'ignore'
        : undefined;
  if (sort === undefined) return undefined;
  if (isGerund) return MIND.test(before) ? sort : undefined;
  if (verb === 'mind') return OPENS.test(before.replace(/ ?never$/, '')) ? sort : undefined;
  if (isWished) return sort;
  if (ASKS.test(before)) return NOT_ASKED.test(before) ? undefined : sort;
  if (words[i]?.isPleaded && !SUBJECTS.test(before)) return sort;
  if (OPENS.test(before))
    return /\b(?:do|did|does|will|would|could|can|never) (?:you )?(?:not|that|it|this)$|\bthat$/.test(before) &&
      /\b(?:not|never)$/.test(before)
      ? undefined
      : sort;
  // `acutally forget it`, `delete and forget it`.
  const [last, first] = [words[i - 1], words[i - 2]];
  const isOpener =
    last &&
    !first &&
    !/^(?:PRON|DET|AUX|PART|NUM)$/.test(last.tag) &&
    !/s$|^(?:never|always|people|everyone|often|cannot|not|to)$/.test(last.lower);
  return isOpener && sort === 'forget' ? sort : undefined;
}

function lengthOfVerb(verb: string, words: readonly PlainWord[], i: number): number {
  const next = `${words[i + 1]?.lower} ${words[i + 2]?.lower}`;
  if (verb === 'get' || ((verb === 'hold' || verb === 'hang') && /^on(?:to| to)/.test(next))) return next.startsWith('onto') ? 2 : 3;
  if (words[i + 1]?.lower === ':') return 2;
  // `disregard and delete my number plate`
  if (/^(?:and|&|or|,) (?:delete|erase|forget|remove|wipe|disregard|ignore|store|save|remember|keep)$/.test(next)) return 3;
  return 1;
}

function readTarget(verb: string, sort: RequestSort, rest: string): ReadTarget | undefined {
  // `strike from your records that we own a snake`
  const place = /^(?:from|out of) (?:your|the) [\w-]+(?: notes)? /.exec(rest)?.[0] ?? '';
  if (place !== '' && sort === 'remove') {
    const read = targetOf('forget', rest.slice(place.length));
    return read && { target: read.target, length: read.length + place.length };
  }
  const parted = PARTED.get(verb);
  if (!parted) return targetOf(sort, rest);
  const found = parted.exec(rest);
  const object = found?.[1] ?? found?.[2];
  const read = object === undefined ? undefined : targetOf(verb === 'put' ? 'forget' : sort, object);
  return (
    read && {
      target: read.target,
      length: (found?.[0].length ?? 0) + (/^ (?:of|from) your [\w-]+| again/.exec(rest.slice(found?.[0].length))?.[0].length ?? 0),
    }
  );
}

/** `I don't want that stored`, `pretend I never said it`. Looked for where a clause begins. */
function byWish(words: readonly PlainWord[], i: number, done: number): FoundRequest | undefined {
  if (i !== done && !words[i - 1]?.isStop && !/^(?:i|pretend|act|treat|consider|as)$/.test(words[i]?.lower ?? '')) return undefined;
  const text = textOf(words, i, i + MOST_WORDS);
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

function textOf(words: readonly PlainWord[], from: number, to: number): string {
  return words
    .slice(from, to)
    .map(({ lower }) => lower)
    .join(' ');
}

/** The word behind so many characters of `textOf`. */
function wordAfter(words: readonly PlainWord[], from: number, length: number): number {
  let at = from;
  for (let end = -1; at < words.length; at++) {
    end += 1 + (words[at] as PlainWord).lower.length;
    if (end > length) break;
  }
  return at;
}

const LEADS =
  wordSet(`can could would will may you u if do not never stop i want like ask need prefer would to rather that no and but so then wish you've have
  mind it is be had should must did better get go ahead love grateful`);

/** The words that lead up to the verb belong to the request. */
function startOf(words: readonly PlainWord[], i: number, done: number): number {
  let from = i;
  while (from > done && !words[from - 1]?.isStop && LEADS.has(words[from - 1]?.lower ?? '')) from--;
  return from;
}

/** What comes after: without the stops and the words that join it. */
function opensAfter(words: readonly PlainWord[], to: number): number {
  let at = to;
  while (at < words.length && (words[at]?.isStop || /^(?:and|but|so|or|then|because|cause|cos|since|as)$/.test(words[at]?.lower ?? '')))
    at++;
  return at;
}
