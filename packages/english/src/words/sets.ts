/** Word lists are written as plain text, one space apart. */

export function wordSet(...texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => text.trim().split(/\s+/)));
}

export interface PhraseList {
  /** By their first word, the longest first. */
  readonly byFirst: ReadonlyMap<string, readonly (readonly string[])[]>;
  readonly byLast: ReadonlyMap<string, readonly (readonly string[])[]>;
}

/** Phrases of several words, one to a line or between bars. */
export function phraseList(text: string): PhraseList {
  const phrases = text
    .split(/[\n|]/)
    .map((line) => line.trim().split(/\s+/))
    .filter((words) => words[0] !== '')
    .sort((a, b) => b.length - a.length);
  return { byFirst: Map.groupBy(phrases, (words) => words[0] as string), byLast: Map.groupBy(phrases, (words) => words.at(-1) as string) };
}
