/** How ids and orders are held as numbers: no string for each item, in memory or at rest. */

/** A UUID as it is written in lower case: its 16 bytes, as four words. */
export const UUID = 0;
/** `thread:number`, as chunks have them: the number is the first word. */
export const NUMBERED = 1;
/** Any other: the first word is its place among the strings. */
export const OTHER_ID = 2;
const ID_BITS = 0x0f;
/** In place of a kind: nothing is held at the slot any more. */
export const ERASED = 0xff;

/** The order is the id itself. */
export const ORDER_OF_ID = 0x00;
/** The number of the id with eight digits. */
export const ORDER_OF_NUMBER = 0x10;
/** Any other: it is kept beside. */
export const OTHER_ORDER = 0x20;
const ORDER_BITS = 0xf0;

export const ID_WORDS = 4;
const ORDER_DIGITS = 8;
const MOST_NUMBER = 2 ** 32 - 1;

export const idKindOf = (kind: number) => kind & ID_BITS;
export const orderKindOf = (kind: number) => kind & ORDER_BITS;

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Into `words`; false where the text is no UUID in lower case. */
export function parseUuid(text: string, words: Uint32Array): boolean {
  if (text.length !== 36) return false;
  let word = 0;
  let digits = 0;
  for (let i = 0; i < 36; i++) {
    const unit = text.charCodeAt(i);
    if (i === 8 || i === 13 || i === 18 || i === 23) {
      if (unit !== 45) return false;
      continue;
    }
    let digit: number;
    if (unit >= 48 && unit <= 57) digit = unit - 48;
    else if (unit >= 97 && unit <= 102) digit = unit - 87;
    else return false;
    word = (word << 4) | digit;
    if ((++digits & 7) === 0) words[(digits >> 3) - 1] = word >>> 0;
  }
  return true;
}

export function writeUuid(words: Uint32Array, at: number): string {
  let text = '';
  for (let i = 0; i < ID_WORDS; i++) {
    const word = words[at + i] as number;
    const [high, low] = [`${HEX[word >>> 24]}${HEX[(word >>> 16) & 255]}`, `${HEX[(word >>> 8) & 255]}${HEX[word & 255]}`];
    text += i === 0 ? `${high}${low}` : i === 3 ? `${high}${low}` : `-${high}-${low}`;
  }
  return text;
}

const CANONICAL_NUMBER = /^(?:0|[1-9]\d{0,9})$/;

/** The number of `thread:number`, as it would be written again; nothing where it is anything else. */
export function numberOfId(id: string, thread: string): number | undefined {
  if (id.length <= thread.length + 1 || id.charCodeAt(thread.length) !== 58 || !id.startsWith(thread)) return undefined;
  return parseNumber(id.slice(thread.length + 1));
}

/** `thread:number` in its parts, whatever the thread is. */
export function splitNumbered(id: string): { thread: string; number: number } | undefined {
  const colon = id.lastIndexOf(':');
  const number = colon < 0 ? undefined : parseNumber(id.slice(colon + 1));
  return number === undefined ? undefined : { thread: id.slice(0, colon), number };
}

function parseNumber(text: string): number | undefined {
  if (!CANONICAL_NUMBER.test(text)) return undefined;
  const number = Number(text);
  return number <= MOST_NUMBER ? number : undefined;
}

export function orderOfNumber(number: number): string {
  return String(number).padStart(ORDER_DIGITS, '0');
}

/** Whether orders of numbers sort as the numbers do: with more digits than that they would not. */
export function hasOrderOfNumber(number: number): boolean {
  return number < 10 ** ORDER_DIGITS;
}
