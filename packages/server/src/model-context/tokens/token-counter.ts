/** How many tokens a text is, as a model would read it. */
import type { Tokenizer } from '@commonplace/contract/contexts';
import { createBytePairCounter } from './byte-pairs.ts';

export interface TokenCounter {
  /** One more than `most` where there are more: what is beyond is not looked at. */
  count(text: string, most?: number): number;
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

/** Long texts are counted again and again while they are made to fit: each is counted once, for as long as this is held. */
export function rememberCounts(counter: TokenCounter): TokenCounter {
  const known = new Map<string, number>();
  return {
    count: (text, most = Number.POSITIVE_INFINITY) => {
      if (text.length < LONG_CHARACTERS) return counter.count(text, most);
      const tokens = known.get(text) ?? counter.count(text, most);
      if (tokens <= most) known.set(text, tokens);
      return Math.min(tokens, most + 1);
    },
    fit: counter.fit,
  };
}

const LONG_CHARACTERS = 2_000;

const loaders: Readonly<Record<Tokenizer, () => Promise<TokenCounter>>> = {
  o200k_base: async () => {
    const [{ default: vocabulary }, { O200KBase }] = await Promise.all([
      import('gpt-tokenizer/bpeRanks/o200k_base'),
      import('gpt-tokenizer/encodingParams/o200k_base'),
    ]);
    return createBytePairCounter(vocabulary, O200KBase(vocabulary).tokenSplitRegex);
  },
  cl100k_base: async () => {
    const [{ default: vocabulary }, { Cl100KBase }] = await Promise.all([
      import('gpt-tokenizer/bpeRanks/cl100k_base'),
      import('gpt-tokenizer/encodingParams/cl100k_base'),
    ]);
    return createBytePairCounter(vocabulary, Cl100KBase(vocabulary).tokenSplitRegex);
  },
  estimate: async () => ({
    count: (text, most = Number.POSITIVE_INFINITY) => Math.min(estimateTokens(text), most + 1),
    fit: (text, most) => Math.floor((text.length * most) / Math.max(most, estimateTokens(text))),
  }),
};

/** Four letters of English, one sign of Chinese, something between for what has accents. */
function estimateTokens(text: string): number {
  return Math.ceil((1.5 * Buffer.byteLength(text) - 0.5 * text.length) / 4);
}
