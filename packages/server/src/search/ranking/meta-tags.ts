/** Tags of what stands in the `meta` of an item, and of what a search asks of it. */
import { hash } from 'node:crypto';
import type { Where } from '@commonplace/contract/where';

/** Of the hash: 132 bits. No other tag is so long without a colon. */
const TAG_CHARACTERS = 22;

/**
 * Equal for equal values, and for no others: JSON says of what type a value is, and writes a number in one way only. Hashed, so that a tag is
 * short whatever it says, and tags begin with different letters: they are sorted by those.
 */
function tagOf(key: string, value: unknown): string {
  // A part of a string would hold on to the whole of it.
  return Buffer.from(hash('sha256', JSON.stringify([key, value]), 'base64url'), 'latin1').toString('latin1', 0, TAG_CHARACTERS);
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

/**
 * One for each value that stands behind a key of it, alone or in a list; what is deeper has none. There is no most but those of `meta`
 * itself, which are a tenth of the words that are indexed of one text.
 */
export function metaTags(meta: string): string[] {
  const read: unknown = JSON.parse(meta);
  if (typeof read !== 'object' || read === null || Array.isArray(read)) return [];
  return Object.entries(read).flatMap(([key, value]) =>
    (Array.isArray(value) ? value : [value]).filter(isScalar).map((scalar) => tagOf(key, scalar)),
  );
}

/** Of each group an item must have one. */
export function metaTagGroups(where: Where): string[][] {
  return Object.entries(where).map(([key, value]) => (Array.isArray(value) ? value : [value]).map((scalar) => tagOf(key, scalar)));
}
