/** Requests by a verb: `delete that`, `could you forget …`, `don't store …`. */

import { wordSet } from '../words/sets.ts';
import { type ReadTarget, type RequestSort, targetOf } from './targets.ts';
import { type FoundRequest, MOST_WORDS, type PlainWord, textOfWords, wordAfter } from './words.ts';

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
/** What a request may follow right away: nothing, a stop, or a word that opens a clause. */
const OPENS =
  /(?:^|(?:^|[,.;:!?] )always|[,.;:!?()–—&…-]|\b(?:from on|and|but|so|then|or|well|no|yes|yeah|yep|nah|nope|wait|ps|hmm|anyway|though|tho|way|thoughts?|reflection|what|first|that|it|this|alright|cool|great|fine|right|next|too|again|either|time|sure to|free to|all right|argh|ugh|oops|whoops|eek|man|mate|dude|k|thank you|you know what|go ahead and|let us|better|question|lets|after all))$/;
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
  /(?:^|[,.;:!?()–—&…-]|\b(?:and|but|so|then|or|well|no|yes|yeah|wait|ps|hmm|anyway|though|tho|way|thoughts?|reflection|what|better)) ?(?:do not|never|stop|no need to|not|do not you dare|do not you|not necessary to|no reason to)$/,
  /(?:^| )(?!(?:i|we|they|you|u|who|people|that|which|\w+s) )\S+ do not$/,
  /\b(?:can|could|would|will|may|might) (?:you|u) (?:not|never|stop)$/,
  /\b(?:you|u) (?:do not|need not|should not|must not|may not|can not|shall not|better not|had better not)(?: have to| need to)?$/,
  /\bnot (?:want|wish|like|need|think|ask|asking) (?:that )?you (?:to|should|need to)$/,
  /\b(?:rather|prefer|like|prefer it|grateful|appreciate it|ask|wish|hope|love it|better)(?: it)?(?: if| that)? you (?:did not|do not|would not|not|could not|never|will not)(?: to)?$/,
  /\b(?:ask|want|tell|like|need|prefer|urge|beg|asking) you not to$/,
  /\b(?:would rather|prefer to|rather|prefer) not(?: have you| you)?$/,
];

/** `delete that`, `could you forget …`, `don't store …`. */
export function requestByVerb(words: readonly PlainWord[], i: number, done: number): FoundRequest | undefined {
  const word = words[i] as PlainWord;
  const before = textOfWords(words, Math.max(done, i - 9), i);
  const wished = PREFERS.test(before) ? PASTS[word.lower] : undefined;
  const verb = wished ?? GERUNDS[word.lower] ?? word.lower;
  const isGerund = wished === undefined && verb !== word.lower;
  const sort = sortOf(verb, words, i, before, isGerund, wished !== undefined);
  if (sort === undefined) return undefined;
  const skipped = lengthOfVerb(verb, words, i);
  const rest = textOfWords(words, i + skipped, i + skipped + MOST_WORDS);
  const read = readTarget(verb, sort, rest);
  if (!read) return undefined;
  const to = wordAfter(words, i + skipped, read.length);
  return { target: read.target, from: startOf(words, i, done), to };
}

/** `we remember the strict ones and forget the nice ones`: said of somebody, not asked for. */
function isJoined(before: string): boolean {
  if (!/\b(?:and|or|then)$/.test(before)) return false;
  const clause = /[^.;:!?()–—]*$/.exec(before)?.[0] ?? '';
  return /\b(?:i|we|they|people|who|he|she)\b/.test(clause) && !/\b(?:you|do not)\b/.test(clause);
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
  if (/\b(?:never|not) ?,?$/.test(before)) return undefined;
  if (ASKS.test(before)) return NOT_ASKED.test(before) ? undefined : sort;
  if (words[i]?.isPleaded && !SUBJECTS.test(before)) return sort;
  if (OPENS.test(before)) return isJoined(before) || (/\balways$/.test(before) && sort !== 'forget') ? undefined : sort;
  // A misspelled opener.
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
  if (!parted) {
    const read = /^(?:to|until|up)\b/.test(rest) ? undefined : targetOf(sort, rest);
    // What is scratched is what was said.
    const isThing =
      /^(?:scratch|strike)$/.test(verb) && read?.target.what === 'named' && !/\b(?:said|told|mentioned|your|record)\b/.test(rest);
    return isThing ? undefined : read;
  }
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

const LEADS =
  wordSet(`can could would will may you u if do not never stop i want like ask need prefer would to rather that no and but so then wish you've have
  mind it is be had should must did better get go ahead love grateful`);

/** The words that lead up to the verb belong to the request. */
function startOf(words: readonly PlainWord[], i: number, done: number): number {
  let from = i;
  while (from > done && !words[from - 1]?.isStop && LEADS.has(words[from - 1]?.lower ?? '')) from--;
  return from;
}
