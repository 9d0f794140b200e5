/** What a sentence says, apart from how: equal for the same said again in nearly the same words. */

const WORD = /[\p{L}\p{N}]+(?:['’.\-/:][\p{L}\p{N}]+)*/gu;
/** Words that change nothing about what is said. Not those that do: verbs and their tenses, negations, directions, numbers. */
const WEAK = new Set(
  `user users the a an that this these those also too really very quite so just still currently now actually basically simply
  definitely absolutely please`.split(/\s+/),
);

/** In the order of the words: `dogs more than cats` is not `cats more than dogs`. */
export function fingerprintOf(content: string): string {
  const words = (content.normalize('NFKC').toLowerCase().match(WORD) ?? []).map(singular);
  const telling = words.filter((word) => !WEAK.has(word));
  return (telling.length > 0 ? telling : words).join(' ');
}

function singular(word: string): string {
  return word.length > 3 && /[^sui]s$/.test(word) ? word.slice(0, -1) : word;
}
