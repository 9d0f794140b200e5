import type { Document } from '@commonplace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { client } from '../../api/client.ts';
import { Button, IconButton } from '../../design/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../design/menu.tsx';
import { showToast } from '../../design/toast.tsx';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { DeleteDocumentsDialog } from '../knowledge/delete-documents-dialog.tsx';
import { replaceFile } from '../knowledge/document-changes.ts';
import { hasNoText } from '../knowledge/hopeless.ts';
import { refreshDocuments } from '../knowledge/queries.ts';
import { contentQuery } from './queries.ts';

const NO_EXTERNAL_ID =
  'It was uploaded without an external id, so that no file can take its place. Upload the new file, and delete this one.';
const NO_TEXT = 'There is no text to index. Replace the file with one that has text.';
const READONLY = 'Your role is readonly. An owner or admin can give you another.';

/** What can be done to a document, by its head and by the notice of a failure. */
export function useDocumentActions(workspaceId: string, document: Document) {
  const { id } = document;
  const queryClient = useQueryClient();
  const [deleting, setDeleting] = useState(false);
  const { documents } = client.workspace(workspaceId);
  const onSettled = () => refreshDocuments(queryClient, workspaceId);
  const reindexing = useMutation({ mutationFn: () => documents.reindex(id), onSettled });
  const replacing = useMutation({
    mutationFn: (file: File) => replaceFile(workspaceId, document, file),
    onSuccess: ({ status }) =>
      showToast(status === 'processing' ? 'File replaced' : 'The file is the same', {
        note: status === 'processing' ? 'Search finds the old text until the new one is indexed.' : 'Nothing had to change.',
      }),
    onSettled,
  });
  const download = async () => {
    const text = await queryClient.ensureQueryData(contentQuery(workspaceId, document));
    const url = URL.createObjectURL(new Blob([text], { type: document.contentType }));
    const link = Object.assign(window.document.createElement('a'), { href: url, download: document.filename });
    link.click();
    URL.revokeObjectURL(url);
  };
  return {
    workspaceId,
    reindex: () => reindexing.mutate(),
    replace: (file: File) => replacing.mutate(file),
    download: () => void download(),
    askToDelete: () => setDeleting(true),
    stopDeleting: () => setDeleting(false),
    deleting,
    reindexing: reindexing.isPending,
    replacing: replacing.isPending,
    error: replacing.error ?? reindexing.error,
  };
}

interface DocumentActionsProps {
  readonly document: Document;
  readonly actions: ReturnType<typeof useDocumentActions>;
  readonly canChange: boolean;
}

export function DocumentActions({ document, actions, canChange }: DocumentActionsProps) {
  const navigate = useNavigate();
  const input = useRef<HTMLInputElement>(null);
  const { workspaceId } = actions;
  const reason = canChange ? (document.externalId === undefined ? NO_EXTERNAL_ID : undefined) : READONLY;
  const isProcessing = document.status === 'processing';
  const askToDelete = () => {
    if (canChange) actions.askToDelete();
  };
  useShortcuts({ Backspace: askToDelete });
  return (
    <>
      <Button
        icon="upload"
        disabled={reason !== undefined}
        title={reason}
        busy={actions.replacing && 'Uploading'}
        onClick={() => input.current?.click()}
      >
        Replace file
      </Button>
      <Button
        icon="refresh"
        disabled={!canChange || isProcessing || hasNoText(document)}
        title={canChange ? (hasNoText(document) ? NO_TEXT : undefined) : READONLY}
        busy={actions.reindexing && 'Asking'}
        onClick={actions.reindex}
      >
        Index again
      </Button>
      <Menu trigger={<IconButton icon="more" label="More actions" />}>
        <MenuItem icon="file" onSelect={actions.download}>
          Download the file
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon="trash" danger disabled={!canChange} onSelect={actions.askToDelete}>
          Delete document
        </MenuItem>
      </Menu>
      <input
        ref={input}
        type="file"
        className="sr-only"
        aria-label="New file"
        tabIndex={-1}
        accept=".md,.txt"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) actions.replace(file);
          target.value = '';
        }}
      />
      <DeleteDocumentsDialog
        workspaceId={workspaceId}
        documents={actions.deleting ? [document] : []}
        onClose={actions.stopDeleting}
        onDeleted={() => void navigate({ to: '/w/$workspaceId/knowledge', params: { workspaceId } })}
      />
    </>
  );
}
