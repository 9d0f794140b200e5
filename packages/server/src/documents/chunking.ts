/** Cuts a document into chunks that read by themselves: never across sections, never inside a character. */
import { type Block, markdownBlocks, plainBlocks } from './blocks.ts';

export const CHUNK_SIZE = 1200;
export const CHUNK_OVERLAP = 120;
/** Of a heading, where it stands with every chunk under it: a line can be as long as the file. */
const LONGEST_TITLE = 200;

/** A file of more sections than this is cut by size alone: nobody wrote a hundred thousand headings for people to read. */
export const MOST_SECTIONS = 10_000;

export type ChunkingStrategy = 'markdown' | 'text';

export interface Chunk {
  readonly position: number;
  /** The headings above it, outermost first, joined by ` › `. */
  readonly heading: string;
  readonly text: string;
  /** Offsets in the file, in code points. */
  readonly startOffset: number;
  readonly endOffset: number;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

interface Section {
  readonly heading: string;
  readonly blocks: readonly Block[];
}

export function strategyOf(contentType: string): ChunkingStrategy {
  return contentType === 'text/markdown' ? 'markdown' : 'text';
}

/** Sizes are in UTF-16 units: a bound, not a promise, and code points are at most as many. */
export function chunksOf(source: string, strategy: ChunkingStrategy, size = CHUNK_SIZE, overlap = CHUNK_OVERLAP): Chunk[] {
  const blocks = strategy === 'markdown' ? markdownBlocks(source) : plainBlocks(source);
  const toCodePoints = codePointCounter(source);
  const chunks: Chunk[] = [];
  const sections = sectionsOf(blocks);
  for (const section of sections.length > MOST_SECTIONS ? [{ heading: '', blocks }] : sections) {
    for (const span of packed(source, section.blocks, size, overlap)) {
      const { start, end } = trimmed(source, span);
      if (start >= end) continue;
      chunks.push({
        position: chunks.length,
        heading: section.heading,
        text: storable(source.slice(start, end)),
        startOffset: toCodePoints(start),
        endOffset: toCodePoints(end),
      });
    }
  }
  return chunks;
}

/** What stands under one heading. A heading with nothing under it is a section by itself, so that its words are found. */
function sectionsOf(blocks: readonly Block[]): Section[] {
  const sections: Section[] = [];
  const path: { level: number; title: string }[] = [];
  let current: Section & { blocks: Block[] } = { heading: '', blocks: [] };
  for (const block of blocks) {
    if (block.kind !== 'heading') {
      current.blocks.push(block);
      continue;
    }
    if (current.blocks.length > 0) sections.push(current);
    while (path.length > 0 && (path.at(-1)?.level ?? 0) >= (block.level ?? 1)) path.pop();
    path.push({ level: block.level ?? 1, title: shortened(block.title ?? '') });
    const titles = path.map(({ title }) => title).filter(Boolean);
    // The heading's own line opens the first chunk of its section.
    current = { heading: titles.join(' › '), blocks: [block] };
  }
  if (current.blocks.length > 0) sections.push(current);
  return sections;
}

/** Blocks put together up to the size; those that are too large are cut where it hurts least. */
function packed(source: string, blocks: readonly Block[], size: number, overlap: number): Span[] {
  const spans: Span[] = [];
  let open: Span | undefined;
  for (const block of blocks) {
    if (open && block.end - open.start <= size) {
      open = { start: open.start, end: block.end };
      continue;
    }
    const pieces = block.end - block.start <= size ? [block] : cut(source, block, size, overlap);
    const [first, ...others] = pieces as [Span, ...Span[]];
    // A heading alone would say nothing: it stays with the first piece of what follows, unless that is far below.
    const isLead = open && open.end - open.start < size / 8 && first.end - open.start <= size * 1.25;
    const lead: Span | undefined = isLead ? open : undefined;
    if (open && !lead) spans.push(open);
    const all = [{ start: lead?.start ?? first.start, end: first.end }, ...others];
    spans.push(...all.slice(0, -1));
    open = all.at(-1);
  }
  if (open) spans.push(open);
  return spans;
}

/** Code, tables and lists by lines; prose by sentences, with a sentence or so of overlap. */
function cut(source: string, block: Block, size: number, overlap: number): Span[] {
  const isProse = block.kind === 'paragraph' || block.kind === 'heading';
  const units = (isProse ? sentencesOf(source, block) : linesWithin(source, block)).flatMap((unit) =>
    unit.end - unit.start <= size ? [unit] : piecesOf(source, unit, size),
  );
  const spans: Span[] = [];
  let first = 0;
  for (let index = 0; index < units.length; index++) {
    const start = (units[first] as Span).start;
    if ((units[index] as Span).end - start <= size) continue;
    spans.push({ start, end: (units[index - 1] as Span).end });
    first = index;
    if (isProse) {
      const room = size - ((units[index] as Span).end - (units[index] as Span).start);
      while (first > 0 && (units[index - 1] as Span).end - (units[first - 1] as Span).start <= Math.min(overlap, room)) first--;
    }
  }
  spans.push({ start: (units[first] as Span).start, end: (units.at(-1) as Span).end });
  return spans;
}

const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' });

function sentencesOf(source: string, { start, end }: Span): Span[] {
  return Array.from(sentences.segment(source.slice(start, end)), ({ index, segment }) => ({
    start: start + index,
    end: start + index + segment.length,
  }));
}

function linesWithin(source: string, { start, end }: Span): Span[] {
  const spans: Span[] = [];
  for (let from = start; from < end; ) {
    const breakAt = source.indexOf('\n', from);
    const to = breakAt === -1 || breakAt >= end ? end : breakAt + 1;
    spans.push({ start: from, end: to });
    from = to;
  }
  return spans;
}

/** A sentence or line that is itself too long: at white space where there is any, and never inside a code point. */
function piecesOf(source: string, { start, end }: Span, size: number): Span[] {
  const spans: Span[] = [];
  for (let from = start; from < end; ) {
    let to = Math.min(from + size, end);
    if (to < end) {
      const space = source.slice(from, to).search(/\s\S*$/);
      if (space > size / 2) to = from + space + 1;
      else if (isLowSurrogate(source, to)) to--;
    }
    spans.push({ start: from, end: to });
    from = to;
  }
  return spans;
}

function isLowSurrogate(source: string, index: number): boolean {
  const unit = source.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function trimmed(source: string, { start, end }: Span): Span {
  const text = source.slice(start, end);
  return { start: start + (text.length - text.trimStart().length), end: end - (text.length - text.trimEnd().length) };
}

function shortened(title: string): string {
  const end = isLowSurrogate(title, LONGEST_TITLE) ? LONGEST_TITLE - 1 : LONGEST_TITLE;
  return storable(title.slice(0, end).trimEnd());
}

/** PostgreSQL keeps no NUL. */
function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}

/** Code points up to an offset, counted from the offset asked for last: they rise, and step back a little for an overlap. */
function codePointCounter(source: string): (offset: number) => number {
  let at = 0;
  let count = 0;
  return (offset) => {
    for (; at < offset; count++) at += isPairAt(source, at) ? 2 : 1;
    for (; at > offset; count--) at -= isPairAt(source, at - 2) ? 2 : 1;
    return count;
  };
}

function isPairAt(source: string, index: number): boolean {
  return (source.codePointAt(index) ?? 0) > 0xffff;
}
