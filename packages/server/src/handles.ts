/** Handles: names made fit for addresses. */
import { randomInt } from 'node:crypto';

const LONGEST = 100;

/** Lower case, letters and digits of any script kept, every other run one `-`. Empty when the name has neither. */
export function handleOf(name: string): string {
  const handle = name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{Nd}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  return [...handle].slice(0, LONGEST).join('').replace(/-+$/, '');
}

const SUFFIX_ALPHABET = '23456789abcdefghjkmnpqrstvwxyz';

/** The handle with a short random end, for names that need not be unique. */
export function uniqueHandleOf(name: string): string {
  let suffix = '';
  while (suffix.length < 8) suffix += SUFFIX_ALPHABET[randomInt(SUFFIX_ALPHABET.length)];
  return [handleOf(name), suffix].filter(Boolean).join('-');
}
