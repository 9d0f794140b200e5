import type { Document } from '@commonplace/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useMemo, useRef } from 'react';
import { Empty, Loaded, Notice } from '../../design/feedback.tsx';
import { formatCount } from '../../design/numbers.ts';
import { useListKeys } from '../../shell/list-keys.ts';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { ChunkList } from './chunk-list.tsx';
import { areOf, markChunks, type TextRow } from './document-text.ts';
import { chunksQuery, contentQuery } from './queries.ts';
import { TextView } from './text-view.tsx';

const route = getRouteApi('/signed-in/w/$workspaceId/knowledge/$documentId');
const noChunks: never[] = [];

interface DocumentReaderProps {
  readonly workspaceId: string;
  readonly document: Document;
  readonly details: ReactNode;
}

/** The text with its chunks marked, and the chunks beside it. */
export function DocumentReader({ workspaceId, document, details }: DocumentReaderProps) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const content = useQuery(contentQuery(workspaceId, document));
  const chunkQuery = useQuery(chunksQuery(workspaceId, document));
  const chunks = chunkQuery.data ?? noChunks;
  const text = content.data;
  const areFormer = useMemo(() => text !== undefined && !areOf(text, chunks), [text, chunks]);
  const rows = useMemo((): TextRow[] => {
    if (text === undefined) return [];
    // What search finds of a text that is not there any more can only be shown by itself.
    if (areFormer) return chunks.map((chunk) => ({ chunk: chunk.index, parts: [{ text: chunk.text, chunks: [chunk.index] }] }));
    return markChunks(text, chunks);
  }, [text, chunks, areFormer]);
  const place = chunks.findIndex(({ id }) => id === search.chunk);
  const chosen = place < 0 ? undefined : place;
  const choose = (at: number) => {
    const chunk = chunks[Math.min(chunks.length - 1, Math.max(0, at))];
    if (chunk) void navigate({ search: (before) => ({ ...before, chunk: chunk.id }), replace: true, resetScroll: false });
  };
  const aside = useRef<HTMLElement>(null);
  useListKeys(aside);
  useShortcuts({ '[': () => choose((chosen ?? 1) - 1), ']': () => choose((chosen ?? -1) + 1) });
  return (
    <div className="columns document-columns">
      <section className="card document-text" aria-label="Text">
        {areFormer && (
          <Notice tone="warn">
            These are the chunks that search finds now, of the file before. The new one takes their place when it is indexed.
          </Notice>
        )}
        <Loaded query={content} skeletonLines={14}>
          {(loaded) =>
            loaded === '' && chunks.length === 0 ? (
              <Empty icon="file" title="The file is empty">
                It holds no text, so that there is nothing to cut and to find.
              </Empty>
            ) : (
              <TextView rows={rows} chunks={chunks} chosen={chosen} query={search.q ?? ''} onChoose={choose} />
            )
          }
        </Loaded>
      </section>
      <aside className="document-aside stack" aria-label="Chunks and details" ref={aside}>
        <section className="card" aria-label="Chunks">
          <div className="card-head">
            <h2 className="section-title">Chunks</h2>
            <span className="muted small num">{formatCount(chunks.length)}</span>
            <span className="push muted small hide-phone">
              <kbd className="kbd">[</kbd> <kbd className="kbd">]</kbd> to move
            </span>
          </div>
          <Loaded query={chunkQuery} skeletonLines={5}>
            {(loaded) =>
              loaded.length === 0 ? (
                <p className="muted card-body">{document.status === 'processing' ? 'They come when it is cut.' : 'There are none.'}</p>
              ) : (
                <ChunkList workspaceId={workspaceId} documentId={document.id} chunks={loaded} chosen={chosen} />
              )
            }
          </Loaded>
        </section>
        {details}
      </aside>
    </div>
  );
}
