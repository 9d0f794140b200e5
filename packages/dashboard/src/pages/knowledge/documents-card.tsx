import type { Document } from '@commonplace/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useCan } from '../../api/permissions.ts';
import { Button } from '../../design/button.tsx';
import { ErrorNotice } from '../../design/error-notice.tsx';
import { Empty, EmptyPage, Loaded } from '../../design/feedback.tsx';
import { formatCount, plural } from '../../design/numbers.ts';
import { Pager, Table } from '../../design/page.tsx';
import { useListKeys } from '../../shell/list-keys.ts';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { DeleteDocumentsDialog } from './delete-documents-dialog.tsx';
import { reindexDocuments, replaceFile } from './document-changes.ts';
import { DocumentFilters } from './document-filters.tsx';
import { DocumentRow } from './document-row.tsx';
import { DOCUMENTS_ON_A_PAGE, documentsQuery, refreshDocuments } from './queries.ts';
import type { KnowledgeChange, KnowledgeSearch } from './search-params.ts';
import { uploadQueueOf } from './upload-queue.ts';

const columns = [
  'Title',
  { name: 'Labels', className: 'hide-phone' },
  { name: 'Size', end: true },
  { name: 'Chunks', end: true },
  'Status',
  { name: 'Updated', end: true },
];

const noDocuments: readonly Document[] = [];

interface DocumentsCardProps {
  readonly workspaceId: string;
  readonly search: KnowledgeSearch;
  readonly onSearch: (change: KnowledgeChange) => void;
}

export function DocumentsCard({ workspaceId, search, onSearch }: DocumentsCardProps) {
  const queryClient = useQueryClient();
  const canDelete = useCan('CAN_DELETE_WORKSPACE_DOCUMENT');
  const queue = uploadQueueOf(workspaceId);
  const uploading = useSyncExternalStore(queue.subscribe, () => queue.uploads().some(({ state }) => state === 'sending'));
  const query = useQuery(documentsQuery(workspaceId, search, uploading));
  const [chosenIds, setChosenIds] = useState<ReadonlySet<string>>(new Set());
  const [toDelete, setToDelete] = useState<readonly Document[]>([]);
  const card = useRef<HTMLElement>(null);
  const documents = query.data?.documents ?? noDocuments;
  // A role may be taken away while documents are chosen.
  const chosen = canDelete ? documents.filter(({ id }) => chosenIds.has(id)) : noDocuments;
  const reindex = useMutation({
    mutationFn: (ids: readonly string[]) => reindexDocuments(workspaceId, ids),
    onSettled: () => refreshDocuments(queryClient, workspaceId),
  });
  const replace = useMutation({
    mutationFn: ({ document, file }: { document: Document; file: File }) => replaceFile(workspaceId, document, file),
    onSettled: () => refreshDocuments(queryClient, workspaceId),
  });
  const failure = reindex.error ?? replace.error;
  const choose = (id: string) =>
    setChosenIds((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  // The row after those that were deleted takes the focus, once they are gone.
  const focusAt = useRef<number>(undefined);
  useEffect(() => {
    const stops = card.current?.querySelectorAll<HTMLElement>('[data-stop]');
    if (focusAt.current === undefined || !stops || stops.length !== documents.length) return;
    stops[Math.min(focusAt.current, stops.length - 1)]?.focus();
    focusAt.current = undefined;
  }, [documents]);
  useListKeys(card);
  const focusedId = () => document.activeElement?.closest('tr')?.querySelector<HTMLElement>('[data-id]')?.dataset.id;
  const chooseFocused = () => {
    const id = focusedId();
    if (canDelete && id) choose(id);
  };
  const askToDelete = () => {
    const focused = documents.filter(({ id }) => id === focusedId());
    if (canDelete) setToDelete(chosen.length > 0 ? chosen : focused);
  };
  useShortcuts({ X: chooseFocused, Backspace: askToDelete });
  return (
    <section className="card" aria-label="Documents" ref={card}>
      {chosen.length > 0 ? (
        <div className="card-head chosen-bar">
          <span role="status">
            <b>{plural(chosen.length, 'document')}</b> chosen
          </span>
          <span className="row push wrap">
            {chosen.length < documents.length && (
              <Button small variant="ghost" onClick={() => setChosenIds(new Set(documents.map(({ id }) => id)))}>
                Choose all on this page
              </Button>
            )}
            <Button small icon="refresh" busy={reindex.isPending && 'Asking'} onClick={() => reindex.mutate(chosen.map(({ id }) => id))}>
              Index again
            </Button>
            <Button small variant="danger" icon="trash" onClick={() => setToDelete(chosen)}>
              Delete documents
            </Button>
            <Button small variant="ghost" onClick={() => setChosenIds(new Set())}>
              Choose none
            </Button>
          </span>
        </div>
      ) : (
        <div className="card-head">
          <h2 className="section-title">Documents</h2>
          {query.data && <span className="muted small num">{formatCount(query.data.total)}</span>}
          <DocumentFilters search={search} documents={documents} onSearch={onSearch} />
        </div>
      )}
      {failure && <ErrorNotice error={failure} />}
      <Loaded query={query} skeletonLines={8}>
        {(data) =>
          data.documents.length === 0 ? (
            <NoDocuments search={search} onSearch={onSearch} />
          ) : (
            <div className="documents-table">
              <Table label="Documents" columns={columns}>
                {data.documents.map((document) => (
                  <DocumentRow
                    key={document.id}
                    workspaceId={workspaceId}
                    document={document}
                    chosen={canDelete ? chosenIds.has(document.id) : undefined}
                    onChoose={() => choose(document.id)}
                    onReindex={({ id }) => reindex.mutate([id])}
                    onReplace={(replaced, file) => replace.mutate({ document: replaced, file })}
                    onDelete={(one) => setToDelete([one])}
                    onLabel={(label) => onSearch({ label, offset: undefined })}
                  />
                ))}
              </Table>
            </div>
          )
        }
      </Loaded>
      <Pager
        offset={search.offset ?? 0}
        limit={DOCUMENTS_ON_A_PAGE}
        total={query.data?.total ?? 0}
        onMove={(offset) => onSearch({ offset: offset || undefined })}
      />
      <DeleteDocumentsDialog
        workspaceId={workspaceId}
        documents={toDelete}
        onClose={() => setToDelete([])}
        onDeleted={() => {
          setChosenIds(new Set());
          focusAt.current = documents.findIndex(({ id }) => id === toDelete[0]?.id);
        }}
      />
    </section>
  );
}

function NoDocuments({ search, onSearch }: Pick<DocumentsCardProps, 'search' | 'onSearch'>) {
  if (search.offset) return <EmptyPage icon="knowledge" onFirst={() => onSearch({ offset: undefined })} />;
  const clear = () => onSearch({ status: undefined, label: undefined });
  if (!search.status && !search.label)
    return (
      <Empty icon="knowledge" title="No documents yet">
        Upload what your agents should know: handbooks, price lists, terms. They are cut into chunks, and found by words and by meaning.
      </Empty>
    );
  const filters = [search.status && `the status ${search.status}`, search.label && `the label ${search.label}`].filter(Boolean);
  return (
    <Empty icon="search" title="No document fits the filter" action={<Button onClick={clear}>Clear the filter</Button>}>
      None has {filters.join(' and ')}.
    </Empty>
  );
}
