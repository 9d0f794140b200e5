/**
 * Counts tokens by a vocabulary of byte pairs. The libraries that bring the vocabularies take time by the square of the longest run without a
 * break, minutes for a megabyte of one letter; here it grows little faster than the text.
 */
import type { TokenCounter } from './token-counter.ts';

/** A run without a break is counted in parts of about this many characters: a token more or less for each. */
export const LONGEST_RUN = 8_192;
/** Up to here a scan of all pairs is faster than a heap. */
const SHORT_BYTES = 48;
/** Counts of runs: most words of a text come again. All are forgotten when there are too many. */
const KEPT_COUNTS = 50_000;
const LONGEST_KEPT = 48;
/** A megabyte of one character is the same part more than a hundred times. */
const KEPT_LONG_COUNTS = 64;
/** What two tokens beside each other become: known by their numbers, it takes a fifth of the time. */
const KEPT_PAIRS = 300_000;

const ASCII_ONLY = /^[\0-\x7f]*$/;

/** By their rank: a text, or bytes that are none. `pattern` cuts a text into the runs that tokens never cross. */
export function createBytePairCounter(vocabulary: readonly (string | readonly number[])[], pattern: RegExp): TokenCounter {
  const pairs = new Pairs(vocabulary);
  const kept = new Map<string, number>();
  const keptLong = new Map<string, number>();
  const runs = new RegExp(withUnicodeSpaces(pattern.source), `${pattern.flags.replace('g', '')}y`);

  const countRun = (run: string): number => {
    const isLong = run.length > LONGEST_KEPT;
    const known = (isLong ? keptLong : kept).get(run);
    if (known !== undefined) return known;
    const bytes = bytesOf(run);
    const count = pairs.isToken(bytes) ? 1 : bytes.length <= SHORT_BYTES ? mergeByScan(bytes, pairs) : mergeByHeap(bytes, pairs);
    if (isLong) keep(keptLong, KEPT_LONG_COUNTS, run, count);
    else keep(kept, KEPT_COUNTS, run, count);
    return count;
  };

  /** Runs of a text with their counts, until `visit` has seen enough. */
  const visitRuns = (text: string, visit: (start: number, run: string, count: number) => boolean): void => {
    // A test makes no list of what matched, which takes longer than matching.
    for (let at = 0; at < text.length; at = runs.lastIndex) {
      runs.lastIndex = at;
      if (!runs.test(text)) {
        runs.lastIndex = at + 1;
        continue;
      }
      const end = runs.lastIndex;
      for (let start = at; start < end; ) {
        const part = text.slice(start, partEnd(text, start, end));
        if (!visit(start, part, countRun(part))) return;
        start += part.length;
      }
      runs.lastIndex = end;
    }
  };

  return {
    addsUp: true,
    count: (text, most = Number.POSITIVE_INFINITY) => {
      let total = 0;
      visitRuns(text, (_start, _run, count) => {
        total += count;
        return total <= most;
      });
      return Math.min(total, most + 1);
    },
    fit: (text, most) => {
      let left = most;
      let end = 0;
      visitRuns(text, (start, run, count) => {
        end = start + (count <= left ? run.length : Math.floor((run.length * left) / count));
        left -= count;
        return left > 0;
      });
      return end;
    },
  };
}

/** Never within a character. */
function partEnd(text: string, start: number, end: number): number {
  if (end - start <= LONGEST_RUN) return end;
  const cut = start + LONGEST_RUN;
  return (text.codePointAt(cut - 1) as number) > 0xffff ? cut + 1 : cut;
}

function keep(counts: Map<string, number>, most: number, run: string, count: number): void {
  if (counts.size >= most) counts.clear();
  counts.set(run, count);
}

/** White space as Unicode and the models' own tokenizers have it: that of JavaScript has U+FEFF too, and lacks U+0085. */
function withUnicodeSpaces(source: string): string {
  return source.replaceAll('\\s', '\\p{White_Space}').replaceAll('\\S', '\\P{White_Space}');
}

const NO_RANK = -1;

/** Which two tokens make a third. A token goes by its rank. */
class Pairs {
  readonly #ranks = new Map<string, number>();
  readonly #bytes: string[];
  readonly #kept = new Map<number, number>();

  constructor(vocabulary: readonly (string | readonly number[])[]) {
    this.#bytes = vocabulary.map((token) => (typeof token === 'string' ? bytesOf(token) : String.fromCharCode(...token)));
    this.#bytes.forEach((bytes, rank) => {
      this.#ranks.set(bytes, rank);
    });
  }

  isToken(bytes: string): boolean {
    return this.#ranks.has(bytes);
  }

  /** Every byte is one. */
  tokensOf(bytes: string): Int32Array {
    return Int32Array.from(bytes, (byte) => this.#ranks.get(byte) as number);
  }

  merge(one: number, other: number): number {
    const key = one * 2 ** 20 + other;
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const rank = this.#ranks.get(`${this.#bytes[one]}${this.#bytes[other]}`) ?? NO_RANK;
    if (this.#kept.size >= KEPT_PAIRS) this.#kept.clear();
    this.#kept.set(key, rank);
    return rank;
  }
}

/** One character for each byte of UTF-8. */
function bytesOf(text: string): string {
  return ASCII_ONLY.test(text) ? text : Buffer.from(text).toString('latin1');
}

/** The pair of the lowest rank becomes one token, the leftmost of equals first, until no pair is one. */
function mergeByScan(bytes: string, pairs: Pairs): number {
  const tokens = [...pairs.tokensOf(bytes)];
  const mergeAt = (index: number) =>
    index + 1 < tokens.length ? pairs.merge(tokens[index] as number, tokens[index + 1] as number) : NO_RANK;
  const merged = tokens.map((_, index) => mergeAt(index));
  for (;;) {
    let best = -1;
    for (let index = 0; index < merged.length; index++) {
      const rank = merged[index] as number;
      if (rank !== NO_RANK && (best === -1 || rank < (merged[best] as number))) best = index;
    }
    if (best === -1) return tokens.length;
    tokens.splice(best, 2, merged[best] as number);
    merged.splice(best + 1, 1);
    merged[best] = mergeAt(best);
    if (best > 0) merged[best - 1] = mergeAt(best - 1);
  }
}

/** The same with the pairs in a heap. One that changed since it was put there is passed over. */
function mergeByHeap(bytes: string, pairs: Pairs): number {
  const tokens = pairs.tokensOf(bytes);
  const { length } = tokens;
  const next = Int32Array.from(tokens, (_, index) => index + 1);
  const before = Int32Array.from(tokens, (_, index) => index - 1);
  const merged = new Int32Array(length).fill(NO_RANK);
  const heap = new NumberHeap();
  const note = (index: number) => {
    const following = next[index] as number;
    const rank = following < length ? pairs.merge(tokens[index] as number, tokens[following] as number) : NO_RANK;
    merged[index] = rank;
    // Rank and place in one number: equal ranks go by place.
    if (rank !== NO_RANK) heap.push(rank * length + index);
  };
  for (let index = 0; index < length; index++) note(index);
  let count = length;
  for (let entry = heap.pop(); entry !== undefined; entry = heap.pop()) {
    const index = entry % length;
    const rank = (entry - index) / length;
    if (merged[index] !== rank) continue;
    const following = next[index] as number;
    const end = next[following] as number;
    merged[following] = NO_RANK;
    tokens[index] = rank;
    next[index] = end;
    if (end < length) before[end] = index;
    count--;
    note(index);
    if (index > 0) note(before[index] as number);
  }
  return count;
}

class NumberHeap {
  readonly #values: number[] = [];

  push(value: number): void {
    const values = this.#values;
    let at = values.push(value) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((values[parent] as number) <= value) break;
      values[at] = values[parent] as number;
      at = parent;
    }
    values[at] = value;
  }

  pop(): number | undefined {
    const values = this.#values;
    const least = values[0];
    const last = values.pop();
    if (last === undefined || values.length === 0) return least;
    let at = 0;
    for (let child = 1; child < values.length; child = 2 * at + 1) {
      if (child + 1 < values.length && (values[child + 1] as number) < (values[child] as number)) child++;
      if ((values[child] as number) >= last) break;
      values[at] = values[child] as number;
      at = child;
    }
    values[at] = last;
    return least;
  }
}
