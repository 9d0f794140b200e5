/** The blocks of a text: what a reader sees as one piece, and a chunk keeps whole where it fits. */

export type BlockKind = 'heading' | 'code' | 'table' | 'list' | 'paragraph';

export interface Block {
  readonly kind: BlockKind;
  /** Offsets in UTF-16 units, without the line break at the end. */
  readonly start: number;
  readonly end: number;
  /** Of a heading. */
  readonly level?: number;
  readonly title?: string;
}

interface Line {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
// Nothing here may look back over what it has read: a line can be the whole file.
const HEADING = /^ {0,3}(#{1,6})(?=\s|$)/;
const UNDERLINE = /^ {0,3}(=+|-+)\s*$/;
const LIST_ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+/;
const INDENTED = /^(?:\s{2,}|\t)\S/;
const TABLE_RULE_CELL = /^:?-{2,}:?$/;

/** Markdown as it is written, without rendering it: headings, fenced code, tables, lists, paragraphs. */
export function markdownBlocks(source: string): Block[] {
  const lines = linesOf(source);
  const blocks: Block[] = [];
  let at = 0;
  const take = (kind: BlockKind, count: number, more: Partial<Block> = {}) => {
    const first = lines[at] as Line;
    const last = lines[at + count - 1] as Line;
    blocks.push({ kind, start: first.start, end: last.end, ...more });
    at += count;
  };
  while (at < lines.length) {
    const { text } = lines[at] as Line;
    const next = lines[at + 1]?.text;
    const heading = HEADING.exec(text);
    if (text.trim() === '') at++;
    else if (FENCE.test(text)) take('code', fenceLength(lines, at));
    else if (heading) take('heading', 1, { level: (heading[1] as string).length, title: titleOf(text.slice(heading[0].length)) });
    else if (next !== undefined && text.includes('|') && isTableRule(next)) take('table', 2 + runOf(lines, at + 2, isTableRow));
    else if (LIST_ITEM.test(text)) take('list', listLength(lines, at));
    else if (next !== undefined && UNDERLINE.test(next) && !LIST_ITEM.test(next)) {
      take('heading', 2, { level: next.trim().startsWith('=') ? 1 : 2, title: text.trim() });
    } else take('paragraph', 1 + runOf(lines, at + 1, (line) => continuesParagraph(line)));
  }
  return blocks;
}

/** Plain text: what stands between empty lines. */
export function plainBlocks(source: string): Block[] {
  const lines = linesOf(source);
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; ) {
    if ((lines[at] as Line).text.trim() === '') {
      at++;
      continue;
    }
    const count = runOf(lines, at, (line) => line.text.trim() !== '');
    blocks.push({ kind: 'paragraph', start: (lines[at] as Line).start, end: (lines[at + count - 1] as Line).end });
    at += count;
  }
  return blocks;
}

function linesOf(source: string): Line[] {
  const lines: Line[] = [];
  let start = 0;
  for (const match of source.matchAll(/\r\n|\n|\r/g)) {
    lines.push({ start, end: match.index, text: source.slice(start, match.index) });
    start = match.index + match[0].length;
  }
  if (start < source.length) lines.push({ start, end: source.length, text: source.slice(start) });
  return lines;
}

function runOf(lines: readonly Line[], from: number, belongs: (line: Line) => boolean): number {
  let count = 0;
  while (from + count < lines.length && belongs(lines[from + count] as Line)) count++;
  return count;
}

/** Up to its closing fence, or to the end of the text when there is none. */
function fenceLength(lines: readonly Line[], at: number): number {
  const fence = (FENCE.exec((lines[at] as Line).text) as RegExpExecArray)[1] as string;
  const closing = new RegExp(`^ {0,3}${fence[0] === '`' ? '`' : '~'}{${fence.length},}\\s*$`);
  const inside = runOf(lines, at + 1, (line) => !closing.test(line.text));
  return Math.min(inside + 2, lines.length - at);
}

/** Items with what is indented under them; an empty line ends the list unless an item or an indented line follows. */
function listLength(lines: readonly Line[], at: number): number {
  let count = 1;
  for (let index = at + 1; index < lines.length; index++) {
    const { text } = lines[index] as Line;
    const following = text.trim() === '' ? lines[index + 1]?.text : text;
    if (following === undefined || following.trim() === '') break;
    const belongs =
      LIST_ITEM.test(following) || INDENTED.test(following) || (text.trim() !== '' && continuesParagraph(lines[index] as Line));
    if (!belongs) break;
    count = index - at + 1;
  }
  return count;
}

/** Without the run of `#` that may close a heading, which white space sets apart: `# C#` is about C#. */
function titleOf(text: string): string {
  const title = text.trim();
  let end = title.length;
  while (title[end - 1] === '#') end--;
  return end === 0 || /\s/.test(title[end - 1] as string) ? title.slice(0, end).trimEnd() : title;
}

/** `|---|:--:|`: what makes a table of the line above it. */
function isTableRule(text: string): boolean {
  const cells = text.split('|').map((cell) => cell.trim());
  const inner = cells.slice(cells[0] === '' ? 1 : 0, cells.at(-1) === '' ? -1 : undefined);
  return cells.length > 1 && inner.length > 0 && inner.every((cell) => TABLE_RULE_CELL.test(cell));
}

function isTableRow({ text }: Line): boolean {
  return text.trim() !== '' && text.includes('|');
}

function continuesParagraph({ text }: Line): boolean {
  return text.trim() !== '' && !HEADING.test(text) && !FENCE.test(text) && !LIST_ITEM.test(text) && !UNDERLINE.test(text);
}
