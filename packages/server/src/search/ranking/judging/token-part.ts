/** How well the tokens of an item meet those of a question: each token of the question by the most similar one of the item, rare words first. */

import type { QuestionTokens } from '../../embedding/embedder.ts';
import { compareCodes, QUERY_RANGE } from '../vectors/kernel.ts';
import { encodeQuery, type QueryCode, strideOf } from '../vectors/vector-codes.ts';
import { termsOf } from '../words/tokens.ts';

/** A token of the question that counts. */
interface AskedToken extends QueryCode {
  /** How much its word says among the words of the scope. */
  readonly weight: number;
}

export interface TokenQuery {
  readonly tokens: readonly AskedToken[];
  readonly totalWeight: number;
  /** Bytes of a code. */
  readonly stride: number;
  readonly dimensions: number;
}

/** The largest component of a token of a question. */
const LARGEST = 127;
/** Tokens of a pasted page beyond those that say most add cost, not meaning. */
const MOST_TOKENS = 48;

/** `weightOfTerm`: how much a term says; 0 for one that says nothing. Nothing where no token counts. */
export function tokenQuery(
  { words, starts, components }: QuestionTokens,
  dimensions: number,
  weightOfTerm: (term: string) => number,
): TokenQuery | undefined {
  const count = components.length / dimensions;
  const counting: { readonly token: number; readonly weight: number }[] = [];
  for (const [i, word] of words.entries()) {
    const value = Math.max(0, ...termsOf(word).map(weightOfTerm));
    if (value === 0) continue;
    const [start, end] = [starts[i] as number, Math.min(starts[i + 1] ?? count - 1, count - 1)];
    for (let token = start; token < end; token++) counting.push({ token, weight: value / (end - start) });
  }
  const best = counting.sort((a, b) => b.weight - a.weight).slice(0, MOST_TOKENS);
  const stride = strideOf(dimensions);
  const thresholds = new Int8Array(stride);
  const tokens = best.map(({ token, weight }): AskedToken => {
    const scaled = new Int16Array(stride);
    for (let k = 0; k < dimensions; k++) scaled[k] = Math.round(((components[token * dimensions + k] as number) * QUERY_RANGE) / LARGEST);
    return { weight, ...encodeQuery(scaled, dimensions, thresholds) };
  });
  const totalWeight = tokens.reduce((sum, { weight }) => sum + weight, 0);
  return totalWeight > 0 ? { tokens, totalWeight, stride: stride >> 3, dimensions } : undefined;
}

/** The codes of one item after the other; each a multiple of the stride. */
export class TokenSimilarities {
  readonly #query: TokenQuery;
  /** By item and token: the highest similarity, -1 to 1. */
  readonly #best: Float32Array;

  constructor(query: TokenQuery, items: readonly Uint8Array[]) {
    this.#query = query;
    const { tokens, stride } = query;
    const rows = items.map(({ length }) => Math.floor(length / stride));
    const codes = new Uint8Array(rows.reduce((sum, count) => sum + count, 0) * stride);
    let at = 0;
    for (const [i, item] of items.entries()) {
      codes.set(item.subarray(0, (rows[i] as number) * stride), at);
      at += (rows[i] as number) * stride;
    }
    this.#best = new Float32Array(items.length * tokens.length);
    const distances = new Int32Array(codes.length / stride);
    for (const [t, { code, total, norm }] of tokens.entries()) {
      if (distances.length > 0) compareCodes(codes, stride, distances.length, code, distances);
      let row = 0;
      for (const [i, count] of rows.entries()) {
        let least = total;
        for (const end = row + count; row < end; row++) if ((distances[row] as number) < least) least = distances[row] as number;
        this.#best[i * tokens.length + t] = count === 0 ? -1 : (total - 2 * least) / (norm * Math.sqrt(query.dimensions));
      }
    }
  }

  /** Of some items read together: the mean over the question's tokens of the best that any of them has. */
  of(items: readonly number[]): number {
    const { tokens, totalWeight } = this.#query;
    let sum = 0;
    for (const [t, { weight }] of tokens.entries()) {
      let best = -1;
      for (const item of items) best = Math.max(best, this.#best[item * tokens.length + t] as number);
      sum += weight * best;
    }
    return sum / totalWeight;
  }
}
