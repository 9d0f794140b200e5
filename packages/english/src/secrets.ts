/** What looks like a secret never becomes a memory. */

const NAMED =
  /\b(?:pass ?words?|pass ?phrase|passcode|pwd|pin(?: code| number)?|cvv|cvc|security code|api[- ]?keys?|secret(?: key)?|access[- ]?(?:key|token)|auth(?:entication)? token|bearer|token|private key|seed phrase|recovery (?:code|phrase)|(?:social security|ssn|credit card|card|debit card|account|routing|passport|iban)(?: number)?|login|credentials|2fa code|otp|combination|door code|alarm code|gate code|unlock code|(?:verification|confirmation|one-time|auth\w{0,12}|backup) codes?|codes? from)\b(?! (?:manager|reset|policy|field|generator|hash|prompt|page|form))/i;
/** A value is given to it, with at least a digit, a sign or a mark of something not said in prose. */
const GIVEN = /(?:\b(?:is|are|was|equals?)\b|[:=]|->|→)\s*["'`]?(\S{3,})/i;
const VALUE_ONLY_WORDS =
  /^(?:the|a|an|my|not|too|very|in|on|at|stored|saved|safe|wrong|expired|invalid|missing|short|long|weak|strong|required|broken|lost|empty|always|never|being|working|denied|incorrect|leaked|rotated|due|full|ready|valid|managed|kept|from|for|of|with|set|about|called|issued|good|bad|so|still|now|near|no|that|to|how|what|why)[.,!?;:]?$/i;

/** By how the keys of well-known services begin; a digit tells them from words. */
const KEYS =
  /\b(?:(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|xox[abprs]|glpat|npm|hf|pypi|shpat|dop_v1|whsec|key|tok)[-_](?=[A-Za-z_-]{0,40}\d)[A-Za-z0-9_-]{14,}|(?:AKIA|ASIA)[A-Z0-9]{12,}|AIza[A-Za-z0-9_-]{20,}|ya29\.[A-Za-z0-9_-]{10,})/;

const SHAPES = [
  /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/,
  /-----BEGIN [A-Z ]{0,40}KEY/,
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{0,100}:[^\s/@]{1,100}@/i,
  /\b\d{3}-\d{2}-\d{4}\b/,
  /\b(?:aws|github|gitlab|slack|stripe|openai|azure|api|secret|auth|db|database|access)[A-Z0-9_-]{0,30}(?:key|token|secret|password|pwd)[A-Z0-9_-]{0,10}\s{0,3}[=:]\s{0,3}\S/i,
  /\bbearer\s+[A-Za-z0-9._-]{12,}/i,
];

export function looksSecret(text: string): boolean {
  const sample = text.slice(0, 4000);
  return (
    KEYS.test(sample) ||
    SHAPES.some((shape) => shape.test(sample)) ||
    namesSecret(sample) ||
    hasCardNumber(sample) ||
    hasIban(sample) ||
    wordsOf(sample).some(isRandom)
  );
}

function wordsOf(text: string): string[] {
  return text.split(/[\s"'`(),;<>]+/);
}

function namesSecret(text: string): boolean {
  const named = NAMED.exec(text);
  if (!named) return false;
  const value = GIVEN.exec(text.slice(named.index + named[0].length, named.index + named[0].length + 80))?.[1];
  if (value === undefined || VALUE_ONLY_WORDS.test(value)) return false;
  return /pass|pwd|pin|secret|cvv|cvc|code|phrase|otp|credential/i.test(named[0]) || /\d/.test(value);
}

/** Sixteen digits or so whose check digit is right. */
function hasCardNumber(text: string): boolean {
  for (const match of text.matchAll(/\d(?:[ -]?\d){12,18}/g)) {
    const digits = match[0].replace(/\D/g, '');
    if (passesLuhn(digits) && !/^0+$/.test(digits)) return true;
  }
  return false;
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    sum += i % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0;
}

function hasIban(text: string): boolean {
  for (const match of text.matchAll(/\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b/g)) {
    const compact = match[0].replace(/ /g, '');
    const rearranged = (compact.slice(4) + compact.slice(0, 4)).replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
    let rest = 0;
    for (const digit of rearranged) rest = (rest * 10 + Number(digit)) % 97;
    if (rest === 1) return true;
  }
  return false;
}

/** Long, without spaces, of letters in both cases and digits mixed: nothing that a person would say. */
function isRandom(word: string): boolean {
  if (word.length < 20 || word.length > 400 || word.includes('://') || /^[\w.+-]+@[\w.-]+$/.test(word) || word.includes('/')) return false;
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
  const text = content.slice(0, 20_000).replace(/-----BEGIN [A-Z ]{0,40}-----[^-]{0,10000}-----END [A-Z ]{0,40}-----/g, '-----BEGIN KEY');
  let count = 0;
  for (const statement of text.split(/\n|(?<=[.!?])\s/)) {
    if (looksSecret(statement)) count++;
  }
  return count;
}
