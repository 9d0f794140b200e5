/** JSON as text: how deep it may be, and how large one `meta` or `config` may get. */
import { exceedsBytes } from './lengths.ts';

export const DEEPEST_JSON = 100;
export const LARGEST_JSON_BYTES = 64_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** In one pass over the text and without recursion: what is too deep is never parsed. */
export function isNestedTooDeep(text: string): boolean {
  // Every level takes a character of its own.
  if (text.length <= DEEPEST_JSON) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > DEEPEST_JSON) return true;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
    }
  }
  return false;
}

/** Where the string that begins at `start` ends; the end of the text where it does not. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

/** A JSON object or none, with its text; or what is wrong with it. */
export type JsonReading =
  | { readonly value: object; readonly text: string }
  | { readonly value: null | undefined }
  | { readonly complaint: string };

/** `meta` and `config` as they are sent: a string of JSON is read as if its JSON stood there. */
export function readJsonObject(sent: unknown): JsonReading {
  let value = sent;
  if (typeof sent === 'string') {
    if (exceedsBytes(sent, LARGEST_JSON_BYTES)) return tooLarge;
    if (isNestedTooDeep(sent)) return { complaint: `must not be nested deeper than ${DEEPEST_JSON} levels` };
    try {
      value = JSON.parse(sent);
    } catch {
      return { complaint: 'must be valid JSON' };
    }
  }
  if (value === undefined || value === null) return { value };
  if (typeof value !== 'object' || Array.isArray(value)) return { complaint: 'must be a JSON object' };
  // Measured as it is kept: `1e20` takes five times the room that it came in.
  const text = JSON.stringify(value);
  return exceedsBytes(text, LARGEST_JSON_BYTES) ? tooLarge : { value, text };
}

const tooLarge = { complaint: `must not exceed ${LARGEST_JSON_BYTES / 1000} kB of JSON` } as const;
