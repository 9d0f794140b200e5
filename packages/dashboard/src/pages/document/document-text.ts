/** A document as rows of marked text: one for each chunk, from its start to the start of the next. */
import type { DocumentChunk } from '@commonplace/client';

/** A run of text that the same chunks hold. */
export interface TextPart {
  readonly text: string;
  /** Indexes of the chunks that hold it: none between chunks, two where they overlap. */
  readonly chunks: readonly number[];
}

export interface TextRow {
  /** The chunk that begins here; undefined where the text is not cut. */
  readonly chunk: number | undefined;
  readonly parts: readonly TextPart[];
}

type Span = Pick<DocumentChunk, 'start' | 'end'>;

/** Places in code points, in rising order, as places in a string. */
export function unitPlaces(text: string, places: readonly number[]): number[] {
  // Most texts have no pairs of surrogates, and there both are the same.
  if (!/[\ud800-\udfff]/.test(text)) return places.map((place) => Math.min(place, text.length));
  let points = 0;
  let units = 0;
  return places.map((place) => {
    while (points < place && units < text.length) {
      units += (text.codePointAt(units) as number) > 0xffff ? 2 : 1;
      points++;
    }
    return units;
  });
}

/** The chunks in the order of the document. Text before the first and after the last belongs to their rows. */
export function markChunks(text: string, chunks: readonly Span[]): TextRow[] {
  if (chunks.length === 0) return cutLines(text);
  const places = [...new Set(chunks.flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b);
  const units = new Map(unitPlaces(text, places).map((unit, at) => [places[at] as number, unit]));
  const spans = chunks.map(({ start, end }) => ({ start: units.get(start) as number, end: units.get(end) as number }));
  return spans.map(({ start }, at) => {
    const from = at === 0 ? 0 : start;
    const to = Math.max(from, spans[at + 1]?.start ?? text.length);
    return { chunk: at, parts: partsBetween(text, from, to, at, spans) };
  });
}

function partsBetween(text: string, from: number, to: number, row: number, spans: readonly Span[]): TextPart[] {
  // Only chunks before this row reach into it, and only the nearest: an overlap is a fraction of a chunk.
  const first = Math.max(0, row - MOST_OVERLAPPING);
  const near = spans.slice(first, row + 1).map((span, at) => ({ ...span, index: first + at }));
  const cuts = [from, to, ...near.flatMap(({ start, end }) => [start, end])].filter((cut) => cut >= from && cut <= to);
  const borders = [...new Set(cuts)].sort((a, b) => a - b);
  return borders.slice(0, -1).map((start, at) => {
    const end = borders[at + 1] as number;
    return {
      text: text.slice(start, end),
      chunks: near.filter((span) => span.start <= start && span.end >= end).map(({ index }) => index),
    };
  });
}

const MOST_OVERLAPPING = 8;
const UNCUT_ROW_LENGTH = 2_000;

/** A text that is not cut, in rows that end at the end of a line where there is one. */
function cutLines(text: string): TextRow[] {
  const rows: TextRow[] = [];
  for (let at = 0; at < text.length; ) {
    const line = text.lastIndexOf('\n', at + UNCUT_ROW_LENGTH);
    const end = at + UNCUT_ROW_LENGTH >= text.length ? text.length : line > at ? line + 1 : beforePair(text, at + UNCUT_ROW_LENGTH);
    rows.push({ chunk: undefined, parts: [{ text: text.slice(at, end), chunks: [] }] });
    at = end;
  }
  return rows;
}

/** Never between the two halves of a character. */
function beforePair(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text[at] ?? '') ? at - 1 : at;
}

/** Whether the chunks are of this text, and not of the one that it replaces. */
export function areOf(text: string, chunks: readonly DocumentChunk[]): boolean {
  const places = [...new Set(chunks.flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b);
  const units = new Map(unitPlaces(text, places).map((unit, at) => [places[at] as number, unit]));
  return chunks.every((chunk) => text.slice(units.get(chunk.start), units.get(chunk.end)).replaceAll('\0', '\ufffd') === chunk.text);
}
