/** How many tokens a text is, as a model would read it. */
import type { Tokenizer } from '@commonplace/contract/contexts';
import { createBytePairCounter } from './byte-pairs.ts';

export interface TokenCounter {
  /** One more than `most` where there are more: what is beyond is not looked at. */
  count(text: string, most?: number): number;
  /** Whether a text counts what its parts do, where no token goes over their ends. An estimate rounds each of them up. */
  readonly addsUp: boolean;
  /** How many characters from the beginning are about so many tokens. */
  fit(text: string, most: number): number;
}

const loaded = new Map<Tokenizer, Promise<TokenCounter>>();

/** The vocabularies are megabytes: each is loaded when it is first asked for. */
export function loadTokenCounter(name: Tokenizer): Promise<TokenCounter> {
  const counter = loaded.get(name) ?? loaders[name]();
  loaded.set(name, counter);
  return counter;
}

/** Of texts whose counts are remembered; twice as many at most. */
const REMEMBERED_CHARACTERS = 4_000_000;

/** The end of a conversation and the pages of a handbook are counted for one context after the other: what was counted lately is known. */
export function rememberCounts(counter: TokenCounter, mostCharacters = REMEMBERED_CHARACTERS): TokenCounter {
  let recent = new Map<string, number>();
  let earlier = new Map<string, number>();
  let characters = 0;
  const remember = (text: string, tokens: number) => {
    if (recent.has(text)) return;
    if (characters + text.length > mostCharacters) {
      [earlier, recent, characters] = [recent, new Map(), 0];
    }
    recent.set(text, tokens);
    characters += text.length;
  };
  const count = (text: string, most = Number.POSITIVE_INFINITY) => {
    const tokens = recent.get(text) ?? earlier.get(text) ?? counter.count(text, most);
    if (tokens <= most) remember(text, tokens);
    return Math.min(tokens, most + 1);
  };
  return { ...counter, count };
}

export function countParts(counter: TokenCounter, parts: readonly string[]): number {
  return counter.addsUp ? parts.reduce((sum, part) => sum + counter.count(part), 0) : counter.count(parts.join(''));
}

const loaders: Readonly<Record<Tokenizer, () => Promise<TokenCounter>>> = {
  o200k_base: async () => {
    const [{ default: vocabulary }, { O200KBase }] = await Promise.all([
      import('gpt-tokenizer/bpeRanks/o200k_base'),
      import('gpt-tokenizer/encodingParams/o200k_base'),
    ]);
    return rememberCounts(createBytePairCounter(vocabulary, O200KBase(vocabulary).tokenSplitRegex));
  },
  cl100k_base: async () => {
    const [{ default: vocabulary }, { Cl100KBase }] = await Promise.all([
      import('gpt-tokenizer/bpeRanks/cl100k_base'),
      import('gpt-tokenizer/encodingParams/cl100k_base'),
    ]);
    return rememberCounts(createBytePairCounter(vocabulary, Cl100KBase(vocabulary).tokenSplitRegex));
  },
  estimate: async () => ({
    addsUp: false,
    count: (text, most = Number.POSITIVE_INFINITY) => Math.min(estimateTokens(text), most + 1),
    fit: (text, most) => Math.floor((text.length * most) / Math.max(most, estimateTokens(text))),
  }),
};

/** Four letters of English, one sign of Chinese, something between for what has accents. */
export function estimateTokens(text: string): number {
  return Math.ceil((1.5 * Buffer.byteLength(text) - 0.5 * text.length) / 4);
}
