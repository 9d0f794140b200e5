/** JSON as text: how deep it may be and how much it may hold, counted before it is parsed; and how large one `meta` or `config` may get. */
import { exceedsBytes } from './lengths.ts';

export const LARGEST_JSON_BYTES = 64_000;

export interface JsonLimits {
  readonly levels: number;
  /** Whatever stands alone, in a list or behind a key: objects and lists too. */
  readonly values: number;
  /** Of all objects together. They cost ten times what a value does. */
  readonly keys: number;
}

/** Of a whole body. A batch of 100 messages with all their fields has 700 values and as many keys, besides what is in their `meta`. */
export const BODY_LIMITS: JsonLimits = { levels: 100, values: 200_000, keys: 20_000 };
/** Of one `meta` or `config`. */
export const META_LIMITS: JsonLimits = { levels: 100, values: 5_000, keys: 1_000 };

/** What is beyond a limit, as the rest of a sentence: `must not have more than 1,000 keys`. One pass, no recursion, and it ends at the limit. */
export function findExcess(text: string, limits: JsonLimits): string | undefined {
  // Every level, value and key takes a character of its own.
  if (text.length <= Math.min(limits.levels, limits.values, limits.keys)) return undefined;
  let depth = 0;
  let values = 1;
  let keys = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = endOfString(text, at);
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > limits.levels) return `must not be nested deeper than ${limits.levels} levels`;
        if (!isClosedAfter(text, at) && ++values > limits.values) return moreThan(limits.values, 'values');
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
      case 0x2c: // ,
        if (++values > limits.values) return moreThan(limits.values, 'values');
        break;
      case 0x3a: // :
        if (++keys > limits.keys) return moreThan(limits.keys, 'keys');
    }
  }
  return undefined;
}

function moreThan(most: number, noun: string): string {
  return `must not have more than ${most.toLocaleString('en-US')} ${noun}`;
}

/** Whether the bracket at `start` has nothing in it. */
function isClosedAfter(text: string, start: number): boolean {
  let at = start + 1;
  while (isBlank(text.charCodeAt(at))) at++;
  const next = text.charCodeAt(at);
  return next === 0x5d || next === 0x7d;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Of a string so many characters are looked at one by one before the next quote is searched for, which pays for long ones only. */
const SHORT_STRING = 64;

/** Where the string that begins at `start` ends; the end of the text where it does not. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; ) {
    const shortEnd = at + SHORT_STRING;
    for (; at < shortEnd && at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === 0x5c) at++;
      else if (code === 0x22) return at;
    }
    const quote = text.indexOf('"', at);
    if (quote === -1) return text.length;
    let backslashes = 0;
    while (quote - 1 - backslashes >= at && text.charCodeAt(quote - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return quote;
    at = quote + 1;
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
    const excess = findExcess(sent, META_LIMITS);
    if (excess) return { complaint: excess };
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
  if (exceedsBytes(text, LARGEST_JSON_BYTES)) return tooLarge;
  const excess = findExcess(text, META_LIMITS);
  return excess ? { complaint: excess } : { value, text };
}

const tooLarge = { complaint: `must not exceed ${LARGEST_JSON_BYTES / 1000} kB of JSON` } as const;
