/** A text longer than this is folded: a conversation should be read, and not scrolled past. */
const LONGEST_UNFOLDED = 3_000;
const MOST_LINES = 40;
const SHOWN_WHEN_FOLDED = 1_200;
const LINES_WHEN_FOLDED = 16;

/** The beginning of a long text; undefined where it is shown whole. Ends between characters, never inside one. */
export function foldText(text: string): string | undefined {
  const lines = text.split('\n', MOST_LINES + 1);
  if (text.length <= LONGEST_UNFOLDED && lines.length <= MOST_LINES) return undefined;
  const start = lines.slice(0, LINES_WHEN_FOLDED).join('\n').slice(0, SHOWN_WHEN_FOLDED);
  return start.toWellFormed().replace(/\uFFFD$/, '');
}
