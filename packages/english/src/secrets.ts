/** What looks like a secret never becomes a memory. Every look takes time in proportion to the text, whatever it is made of. */
import { excerptOf } from './excerpt.ts';

const NAMED =
  /\b(?:pas{1,3} ?w(?:or|ro|r|o)[dt]s?|pass ?phrase|passcode|pwd|pin(?: code| number)?|cvv|cvc|security code|api[- ]?keys?|secret(?: key)?|access[- ]?(?:key|token)|auth(?:entication)? token|bearer|token|private key|seed phrase|recovery (?:code|phrase)|(?:social security|ssn|credit card|card|debit card|account|routing|passport|iban)(?: number)?|login|credentials|2fa code|otp|combination|door code|alarm code|gate code|unlock code|(?:verification|confirmation|one-time|auth\w{0,12}|backup) codes?|codes? from)\b(?! (?:manager|reset|policy|field|generator|hash|prompt|page|form))/gi;
/** A value is given to it, with at least a digit, a sign or a mark of something not said in prose. */
const GIVEN = /(?:\b(?:is|are|was|equals?)\b|[:=]|->|→)\s*["'`]?(\S{3,})/i;
const GIVEN_WITHIN = 80;
const VALUE_ONLY_WORDS =
  /^(?:the|a|an|my|not|too|very|in|on|at|stored|saved|safe|wrong|expired|invalid|missing|short|long|weak|strong|required|broken|lost|empty|always|never|being|working|denied|incorrect|leaked|rotated|due|full|ready|valid|managed|kept|from|for|of|with|set|about|called|issued|good|bad|so|still|now|near|no|that|to|how|what|why)[.,!?;:]?$/i;

/** None can be matched in two ways that differ in length without bound: that would take time out of proportion. */
const SHAPES = [
  // By how the keys of well-known services begin; a digit tells them from words.
  /\b(?:(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|xox[abprs]|glpat|npm|hf|pypi|shpat|dop_v1|whsec|key|tok)[-_](?=[A-Za-z_-]{0,40}\d)[A-Za-z0-9_-]{14,}|(?:AKIA|ASIA)[A-Z0-9]{12,}|AIza[A-Za-z0-9_-]{20,}|ya29\.[A-Za-z0-9_-]{10,})/g,
  /-----BEGIN [A-Z ]{0,40}KEY/g,
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{0,100}:[^\s/@]{1,100}@/gi,
  /\b\d{3}-\d{2}-\d{4}\b/g,
  /\b(?:aws|github|gitlab|slack|stripe|openai|azure|api|secret|auth|db|database|access)[A-Z0-9_-]{0,30}(?:key|token|secret|password|pwd)[A-Z0-9_-]{0,10}\s{0,3}[=:]\s{0,3}\S/gi,
  /\bbearer\s{1,20}[A-Za-z0-9._-]{12,}/gi,
];

/** One of the shapes, or a signed token, has one of these where it has no digit. */
const MARKS = /AKIA|ASIA|AIza|eyJ|-----BEGIN|[:=]|bearer/i;

/** From the first character of a secret, or of what names it, to behind the last that gives it away. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export function looksSecret(text: string): boolean {
  return !secretsIn(text).next().done;
}

/** In no order; they may overlap. */
export function* secretsIn(text: string): Generator<Span, void, void> {
  const hasDigit = /\d/.test(text);
  // What most text does not have is looked for first.
  if (hasDigit || MARKS.test(text)) {
    for (const shape of SHAPES) for (const match of text.matchAll(shape)) yield spanOf(match);
    yield* signedTokens(text);
  }
  yield* namedSecrets(text);
  if (!hasDigit) return;
  yield* cardNumbers(text);
  yield* ibans(text);
  for (const word of text.matchAll(/[^\s"'`(),;<>]{20,}/g)) if (isRandom(word[0])) yield spanOf(word);
}

function spanOf({ index, 0: { length } }: RegExpExecArray): Span {
  return { start: index, end: index + length };
}

/** `eyJ….…`: taken as far as it goes, and then looked at what follows. */
function* signedTokens(text: string): Generator<Span, void, void> {
  const rest = /\.[A-Za-z0-9_-]{10,}/y;
  for (const head of text.matchAll(/\beyJ[A-Za-z0-9_-]{10,}/g)) {
    const { start, end } = spanOf(head);
    rest.lastIndex = end;
    if (rest.test(text)) yield { start, end: rest.lastIndex };
  }
}

function* namedSecrets(text: string): Generator<Span, void, void> {
  for (const named of text.matchAll(NAMED)) {
    const { start, end } = spanOf(named);
    const given = GIVEN.exec(text.slice(end, end + GIVEN_WITHIN));
    const value = given?.[1];
    if (!given || value === undefined || VALUE_ONLY_WORDS.test(value)) continue;
    const isAlways = /pass|pwd|pin|secret|cvv|cvc|code|phrase|otp|credential/i.test(named[0]);
    if (isAlways || /\d/.test(value)) yield { start, end: end + given.index + given[0].length };
  }
}

/** By how they begin, where more digits stand around them. */
const ISSUERS = /^(?:4|5[1-5]|2[2-7]|3[04-8]|6[0245])/;
const MOST_DIGITS = 19;
const LEAST_DIGITS = 13;

/** Sixteen digits or so whose check digit is right: all that stand together, or some groups of them. */
function* cardNumbers(text: string): Generator<Span, void, void> {
  for (const run of text.matchAll(/\d+(?:[ -]\d+)*/g)) {
    if (run[0].length < LEAST_DIGITS) continue;
    const groups = [...run[0].matchAll(/\d+/g)];
    for (const [first, group] of groups.entries()) {
      let digits = '';
      for (let last = first; last < groups.length; last++) {
        const { 0: more, index } = groups[last] as RegExpExecArray;
        if (digits.length + more.length > MOST_DIGITS) break;
        digits += more;
        if (digits.length < LEAST_DIGITS || !passesLuhn(digits) || /^0+$/.test(digits)) continue;
        const isAll = first === 0 && last === groups.length - 1;
        const end = run.index + index + more.length;
        if (isAll || ISSUERS.test(digits)) yield { start: run.index + group.index, end };
      }
    }
  }
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    sum += i % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0;
}

const LEAST_IBAN = 15;
/** Written in groups. */
const LONGEST_IBAN = 45;
const IBAN = /^[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b/;

/** At every place where one could begin: what stands before it may look like the beginning of another. */
function* ibans(text: string): Generator<Span, void, void> {
  for (const { index } of text.matchAll(/\b[A-Z]{2}\d{2}/g)) {
    const [found] = IBAN.exec(text.slice(index, index + LONGEST_IBAN)) ?? [];
    if (found === undefined) continue;
    // What follows it may look like one more group of it.
    for (let end = found.length; end > 0; end = found.lastIndexOf(' ', end - 1)) {
      const compact = found.slice(0, end).replace(/ /g, '');
      if (compact.length < LEAST_IBAN) break;
      if (isIban(compact)) {
        yield { start: index, end: index + end };
        break;
      }
    }
  }
}

function isIban(compact: string): boolean {
  const rearranged = (compact.slice(4) + compact.slice(0, 4)).replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  let rest = 0;
  for (const digit of rearranged) rest = (rest * 10 + Number(digit)) % 97;
  return rest === 1;
}

const LONGEST_RANDOM = 4_000;

/** Long, without spaces, of letters in both cases and digits mixed: nothing that a person would say. */
function isRandom(word: string): boolean {
  if (word.length < 20 || word.length > LONGEST_RANDOM || word.includes('/') || /^[\w.+-]+@[\w.-]+$/.test(word)) return false;
  const kinds = Number(/[a-z]/.test(word)) + Number(/[A-Z]/.test(word)) + Number(/\d/.test(word));
  if (kinds < 2 || !/\d/.test(word)) return false;
  return entropyOf(word) > 3.2;
}

function entropyOf(word: string): number {
  const counts = new Map<string, number>();
  for (const character of word) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / word.length) * Math.log2(count / word.length);
  return bits;
}

/** Statements of a message that look like a secret; a block of key material is one. */
export function countSecrets(content: string): number {
  const text = excerptOf(content, 20_000).replace(/-----BEGIN [A-Z ]{0,40}-----[^-]{0,10000}-----END [A-Z ]{0,40}-----/g, '-----BEGIN KEY');
  // What a part of it gives away, the whole does.
  if (!looksSecret(text)) return 0;
  let count = 0;
  for (const statement of text.split(/\n|(?<=[.!?])\s/)) {
    if (looksSecret(statement)) count++;
  }
  return count;
}
