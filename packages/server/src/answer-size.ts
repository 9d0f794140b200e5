/** How large an answer may get: a list ends early where it would pass it. */

export const LARGEST_ANSWER_BYTES = 8_000_000;

/** What JSON makes of a character at most: `\u0001` for one byte. */
export const MOST_ESCAPED_BYTES = 6;

/** The first items, as many as make an answer; always one. */
export function takeFitting<Item>(items: readonly Item[]): Item[] {
  let bytes = 0;
  const end = items.findIndex((item, index) => {
    bytes += Buffer.byteLength(JSON.stringify(item));
    return bytes > LARGEST_ANSWER_BYTES && index > 0;
  });
  return end === -1 ? [...items] : items.slice(0, end);
}

/** As `takeFitting`, by sizes that are known before anything is read. */
export function countFitting(sizes: readonly number[]): number {
  let bytes = 0;
  const end = sizes.findIndex((size, index) => {
    bytes += size;
    return bytes > LARGEST_ANSWER_BYTES && index > 0;
  });
  return end === -1 ? sizes.length : end;
}
