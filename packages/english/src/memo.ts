/** What a pure function gave is kept for when the same is asked again: most words of a message were in others before. */

/** Not as long as the shortest text that may be a view of a longer one, which it would keep in memory. */
const LONGEST_WORD = 12;
const MOST_WORDS = 8_000;

/** In place of a result that is undefined. */
const NOTHING = Symbol('nothing');

/** For single words. */
export function memoOfWords<Result>(compute: (word: string) => Result): (word: string) => Result {
  const kept = new Map<string, Result | typeof NOTHING>();
  return (word) => {
    const found = kept.get(word);
    if (found !== undefined) return found === NOTHING ? (undefined as Result) : found;
    const result = compute(word);
    if (word.length > LONGEST_WORD) return result;
    if (kept.size >= MOST_WORDS) kept.clear();
    kept.set(word, result === undefined ? NOTHING : result);
    return result;
  };
}

/** At most so many results, of keys no longer than that: work and memory are bounded whatever is asked. */
export function memoOf<Asked, Result>(
  compute: (asked: Asked) => Result,
  keyOf: (asked: Asked) => string,
  { most, longest }: { readonly most: number; readonly longest: number },
): (asked: Asked) => Result {
  const kept = new Map<string, Result | typeof NOTHING>();
  return (asked) => {
    const key = keyOf(asked);
    if (key.length > longest) return compute(asked);
    const found = kept.get(key);
    if (found !== undefined) return found === NOTHING ? (undefined as Result) : found;
    const result = compute(asked);
    // All at once: what is asked often is soon there again.
    if (kept.size >= most) kept.clear();
    kept.set(key, result === undefined ? NOTHING : result);
    return result;
  };
}
