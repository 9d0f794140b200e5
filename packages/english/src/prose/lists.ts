/** A heading and the short items under it are one line: `Holdings: VWCE 60 %, cash 10 %`. */

const LONGEST_HEADING_WORDS = 5;
const LONGEST_ITEM_WORDS = 8;
const LONGEST_LINE = 180;
const MOST_ITEMS = 12;
const BULLET = /^\s*(?:[-•–*+]|\d{1,2}[.)])\s+/;

export function withListsJoined(lines: readonly string[]): string[] {
  const joined: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    const items = headingOf(line) === undefined ? [] : itemsAfter(lines, at);
    const text = items.length < 2 ? undefined : `${headingOf(line)}: ${items.join(', ')}`;
    if (text === undefined || text.length > LONGEST_LINE) joined.push(line);
    else {
      joined.push(text);
      at += items.length;
    }
  }
  return joined;
}

function headingOf(line: string): string | undefined {
  const heading = line
    .trim()
    .replace(/^#{1,6}\s+/, '')
    .replace(/^(\*\*|__)(.*)\1$/, '$2');
  const name = heading.replace(/\s*:$/, '');
  const isNamed = /^\p{L}[\p{L}\p{N} /&'’-]*$/u.test(name) && name.split(/\s+/).length <= LONGEST_HEADING_WORDS;
  return isNamed && !BULLET.test(line) ? name : undefined;
}

/** With bullets, or all under a heading with a colon up to an empty line. */
function itemsAfter(lines: readonly string[], heading: number): string[] {
  const needsBullet = !(lines[heading] as string).trim().endsWith(':');
  const items: string[] = [];
  for (const line of lines.slice(heading + 1)) {
    if (line.trim() === '' || (needsBullet && !BULLET.test(line))) break;
    items.push(line.replace(BULLET, '').trim());
  }
  return items.length <= MOST_ITEMS && items.every(isItem) ? items : [];
}

/** Says nothing by itself: no value of its own, no sentence. */
function isItem(text: string): boolean {
  return (
    text !== '' &&
    text.split(/\s+/).length <= LONGEST_ITEM_WORDS &&
    !/[:=?!]|\.\s|\b(?:i|i'm|i’m|im|i've|my|we|our|me|you|your)\b/i.test(text)
  );
}
