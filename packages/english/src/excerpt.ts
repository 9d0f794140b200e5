/** Of a long text its beginning and its end: what people say of themselves stands before or after what they paste. */

/** Stands where something was left out; a statement that contains it is not kept. */
export const LEFT_OUT = '\uFFFC';
/** Of what is read, so much is the end. */
export const SHARE_AT_END = 1 / 4;
/** Whoever sees the end of a text with one of these in the middle can't tell whether it is still part of a key. */
export const KEY_BLOCK_BEGINS = '-----BEGIN';

/** As it is where it is not too long. */
export function excerptOf(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const atEnd = text.includes(KEY_BLOCK_BEGINS) ? 0 : Math.floor(maxCharacters * SHARE_AT_END);
  return text.slice(0, maxCharacters - atEnd) + LEFT_OUT + text.slice(text.length - atEnd);
}
