/** Texts that have to be in and are too long: their beginning and their end, with a mark that says what was left out. */
import type { TokenCounter } from './token-counter.ts';

const HEAD_SHARE = 2 / 3;

export interface CutLimits {
  readonly mostTokens: number;
  /** Of the text as JSON. */
  readonly mostBytes: number;
}

/** The text itself where it fits. */
export function cutText(text: string, { mostTokens, mostBytes }: CutLimits, counter: TokenCounter): string {
  if (counter.count(text, mostTokens) <= mostTokens && jsonBytesOf(text) <= mostBytes) return text;
  const room = Math.max(0, mostTokens - counter.count(markOf(text.length)));
  let headEnd = Math.min(counter.fit(text, room * HEAD_SHARE), text.length);
  // As dense as the beginning, for a first guess.
  let tailLength = Math.min(Math.ceil((headEnd * (1 - HEAD_SHARE)) / HEAD_SHARE), text.length - headEnd);
  for (;;) {
    const head = text.slice(0, betweenCharacters(text, headEnd));
    const tail = text.slice(betweenCharacters(text, text.length - tailLength));
    const leftOut = text.length - head.length - tail.length;
    const cut = `${head}${markOf(leftOut)}${tail}`;
    if ((counter.count(cut, mostTokens) <= mostTokens && jsonBytesOf(cut) <= mostBytes) || headEnd + tailLength === 0) return cut;
    headEnd = Math.floor(headEnd * 0.9);
    tailLength = Math.floor(tailLength * 0.8);
  }
}

export function jsonBytesOf(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}

function markOf(characters: number): string {
  return `\n[… ${characters} characters left out …]\n`;
}

/** Never inside a pair of surrogates. */
function betweenCharacters(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff && index > 0 ? index - 1 : index;
}
