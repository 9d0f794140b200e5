/** Word lists are written as plain text, one space apart. */

export function wordSet(...texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => text.trim().split(/\s+/)));
}

/** Phrases of several words, one to a line or between bars. */
export function phraseList(text: string): readonly (readonly string[])[] {
  const phrases = text
    .split(/[\n|]/)
    .map((line) => line.trim().split(/\s+/))
    .filter((words) => words[0] !== '');
  return phrases.sort((a, b) => b.length - a.length);
}
