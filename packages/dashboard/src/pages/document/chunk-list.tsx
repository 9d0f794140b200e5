import type { DocumentChunk } from '@commonplace/client';
import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, useEffect, useRef } from 'react';
import { Badge } from '../../design/badge.tsx';

const ROW_PX = 56;
const MOST_WORDS_LENGTH = 160;

interface ChunkListProps {
  readonly workspaceId: string;
  readonly documentId: string;
  readonly chunks: readonly DocumentChunk[];
  readonly chosen: number | undefined;
}

/** What the chunk says first, past its heading. */
function beginningOf({ text }: DocumentChunk): string {
  const words = text.replace(/^\s*#{1,6} [^\n]*\n+(?=\S)/, '').trimStart();
  return words.slice(0, MOST_WORDS_LENGTH).replaceAll(/\s+/g, ' ');
}

export function ChunkList({ workspaceId, documentId, chunks, chosen }: ChunkListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: chunks.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 6,
  });
  useEffect(() => {
    if (chosen !== undefined) virtualizer.scrollToIndex(chosen, { align: 'auto' });
  }, [chosen, virtualizer]);
  return (
    <div className="chunk-list" ref={scroller}>
      <ol style={{ height: virtualizer.getTotalSize() }} aria-label="Chunks">
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const chunk = chunks[index] as DocumentChunk;
          const at = { transform: `translateY(${start}px)`, height: ROW_PX } satisfies CSSProperties;
          return (
            <li key={chunk.id} style={at} aria-setsize={chunks.length} aria-posinset={index + 1}>
              <Link
                className="chunk-item"
                data-stop
                to="/w/$workspaceId/knowledge/$documentId"
                params={{ workspaceId, documentId }}
                search={(before) => ({ ...before, chunk: chunk.id })}
                replace
                resetScroll={false}
                aria-current={index === chosen ? 'true' : undefined}
              >
                <span className="num muted">{index + 1}</span>
                <span className="grow">
                  {chunk.heading !== '' && (
                    <span className="truncate chunk-heading" dir="auto">
                      {chunk.heading}
                    </span>
                  )}
                  <span className="truncate muted small" dir="auto">
                    {beginningOf(chunk)}
                  </span>
                </span>
                {chunk.indexed ? <span className="sr-only">indexed</span> : <Badge tone="warn">no vector</Badge>}
              </Link>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
