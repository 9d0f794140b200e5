import type { DocumentChunk } from '@commonplace/client';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Highlight } from '../../design/highlight.tsx';
import type { TextPart, TextRow } from './document-text.ts';

const LINE_LENGTH = 84;
const LINE_PX = 22;
const ROW_PX = 34;
/** The bar at the top of the window covers what is behind it. */
const COVERED_PX = 72;

interface TextViewProps {
  readonly rows: readonly TextRow[];
  readonly chunks: readonly DocumentChunk[];
  /** Index of the chunk that is looked at. */
  readonly chosen: number | undefined;
  /** What it was found by. */
  readonly query: string;
  readonly onChoose: (chunk: number) => void;
}

function linesOf({ parts }: TextRow): number {
  return parts.reduce(
    (lines, { text }) => lines + text.split('\n').reduce((sum, line) => sum + Math.ceil(line.length / LINE_LENGTH), 0),
    1,
  );
}

/** The text as it is, never as HTML, with the borders of its chunks. Only what is in sight is in the page. */
export function TextView({ rows, chunks, chosen, query, onChoose }: TextViewProps) {
  const around = useRef<HTMLDivElement>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  // What stands above may come and go: a notice, or a title that breaks.
  useLayoutEffect(() => {
    const measure = () => setScrollMargin((around.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, []);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: (at) => ROW_PX + LINE_PX * linesOf(rows[at] as TextRow),
    overscan: 3,
    scrollMargin,
    scrollPaddingStart: COVERED_PX,
  });
  // A press on the text itself must not move it.
  const pressed = useRef<number>(undefined);
  useEffect(() => {
    if (chosen === undefined || pressed.current === chosen) return;
    pressed.current = undefined;
    // After the router has put a new page to its top.
    const timer = setTimeout(() => virtualizer.scrollToIndex(chosen, { align: 'start' }));
    return () => clearTimeout(timer);
  }, [chosen, virtualizer]);
  const choose = (chunk: number) => {
    pressed.current = chunk;
    onChoose(chunk);
  };
  return (
    <div className="text-view" ref={around} style={{ height: virtualizer.getTotalSize() }}>
      {virtualizer.getVirtualItems().map(({ index, start }) => (
        <div
          key={index}
          data-index={index}
          ref={virtualizer.measureElement}
          className="text-row"
          style={{ transform: `translateY(${start - scrollMargin}px)` } satisfies CSSProperties}
        >
          <Row row={rows[index] as TextRow} chunks={chunks} chosen={chosen} query={query} onChoose={choose} />
        </div>
      ))}
    </div>
  );
}

interface RowProps extends Omit<TextViewProps, 'rows'> {
  readonly row: TextRow;
}

function Row({ row, chunks, chosen, query, onChoose }: RowProps) {
  const chunk = row.chunk === undefined ? undefined : chunks[row.chunk];
  return (
    <>
      {chunk && (
        <div className="chunk-head" data-chosen={chunk.index === chosen || undefined}>
          <button
            type="button"
            className="chunk-number"
            aria-pressed={chunk.index === chosen}
            aria-label={`Chunk ${chunk.index + 1}`}
            onClick={() => onChoose(chunk.index)}
          >
            {chunk.index + 1}
          </button>
          <span className="truncate" dir="auto" title={chunk.heading}>
            {chunk.heading}
          </span>
          {!chunk.indexed && <span className="not-indexed">no vector</span>}
        </div>
      )}
      <div className="text-body" dir="auto">
        {row.parts.map((part, at) => {
          // The parts of a row never move, so that their place names them.
          const key = `${at}`;
          return <Part key={key} part={part} chosen={chosen} query={query} />;
        })}
      </div>
    </>
  );
}

function Part({
  part: { text, chunks },
  chosen,
  query,
}: {
  readonly part: TextPart;
  readonly chosen: number | undefined;
  readonly query: string;
}) {
  const isChosen = chosen !== undefined && chunks.includes(chosen);
  const isOverlap = chunks.length > 1;
  const look = [isOverlap && 'is-overlap', isChosen && 'is-chosen'].filter(Boolean).join(' ');
  if (look === '') return text;
  return (
    <span className={look} title={isOverlap ? `In chunks ${chunks.map((chunk) => chunk + 1).join(' and ')}` : undefined}>
      {isChosen && query !== '' ? <Highlight text={text} query={query} /> : text}
    </span>
  );
}
