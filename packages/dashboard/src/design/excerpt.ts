/** The part of a text that a hit shows, in plain words: from shortly before the first word of the query on. */
import { plainText } from './plain-text.ts';

const BEFORE = 90;

/** The heading stands beside the hit already; a chunk that is nothing else keeps it. */
function withoutHeading(chunk: string): string {
  return chunk.replace(/^\s*#{1,6} [^\n]*\n+(?=\S)/, '');
}

/** The headings above a chunk without the first, where that only repeats the title. */
export function headingWithin(title: string, heading: string): string {
  return heading === title ? '' : heading.startsWith(`${title} › `) ? heading.slice(title.length + 3) : heading;
}

export const chunkExcerptOf = (chunk: string, query: string): string => excerptOf(withoutHeading(chunk), query);

export function excerptOf(written: string, query: string): string {
  const text = plainText(written);
  const words = (query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length > 3);
  const found = [...text.matchAll(/[\p{L}\p{N}]+/gu)].find(([word]) => words.includes(word.toLowerCase()));
  if (!found || found.index <= BEFORE) return text.trim();
  const space = text.indexOf(' ', found.index - BEFORE);
  // A text without spaces is cut between two words of it at most.
  const start = space < 0 || space > found.index ? found.index : space + 1;
  return `… ${text.slice(start).trim()}`;
}
