import type { Document } from '@commonplace/client';
import { useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../../design/dialog.tsx';
import { plural } from '../../design/numbers.ts';
import { showToast } from '../../design/toast.tsx';
import { deleteDocuments } from './document-changes.ts';
import { documentQuery, refreshDocuments } from './queries.ts';

interface DeleteDocumentsProps {
  readonly workspaceId: string;
  /** None: closed. */
  readonly documents: readonly Document[];
  readonly onClose: () => void;
  readonly onDeleted?: () => void;
}

export function DeleteDocumentsDialog({ workspaceId, documents, onClose, onDeleted }: DeleteDocumentsProps) {
  const queryClient = useQueryClient();
  const [only] = documents;
  const what = documents.length === 1 && only ? `“${only.title}”` : plural(documents.length, 'document');
  const remove = async () => {
    const ids = documents.map(({ id }) => id);
    try {
      await deleteDocuments(workspaceId, ids);
      // A page that shows what was deleted must not ask for it again.
      for (const id of ids) queryClient.removeQueries({ queryKey: documentQuery(workspaceId, id).queryKey });
      onDeleted?.();
    } finally {
      void refreshDocuments(queryClient, workspaceId);
    }
    showToast(documents.length === 1 ? 'Document deleted' : `${plural(documents.length, 'document')} deleted`);
  };
  return (
    <ConfirmDialog
      open={documents.length > 0}
      onClose={onClose}
      title={documents.length === 1 ? 'Delete 1 document?' : `Delete ${plural(documents.length, 'document')}?`}
      action={documents.length === 1 ? 'Delete document' : `Delete ${plural(documents.length, 'document')}`}
      busyLabel="Deleting"
      onConfirm={remove}
    >
      <span dir="auto">{what}</span> {documents.length === 1 ? 'is' : 'are'} deleted with {documents.length === 1 ? 'its' : 'their'} chunks.
      Agents stop finding {documents.length === 1 ? 'it' : 'them'} at once. This can’t be undone.
    </ConfirmDialog>
  );
}
