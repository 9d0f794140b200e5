import type { Session } from '@commonplace/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { ConfirmDialog, Dialog } from '../../design/dialog.tsx';
import { TextField } from '../../design/field.tsx';
import { plural } from '../../design/numbers.ts';
import { showToast } from '../../design/toast.tsx';
import { countContents, useChangeSession, useDeleteSession } from './session-changes.ts';

interface SessionDialogProps {
  readonly session: Session;
  readonly onClose: () => void;
}

export function RenameDialog({ session, onClose }: SessionDialogProps) {
  const [title, setTitle] = useState(session.title);
  const change = useChangeSession(session);
  const rename = () => {
    if (title !== session.title) change.mutate({ title });
    onClose();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Rename session"
      onSubmit={rename}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary">
            Rename session
          </Button>
        </>
      }
    >
      <TextField label="Title" optional maxLength={255} dir="auto" value={title} onChange={(event) => setTitle(event.target.value)} />
    </Dialog>
  );
}

/** Asks with the numbers of what goes along. */
export function DeleteSessionDialog({ session, onClose, onDeleted }: SessionDialogProps & { readonly onDeleted?: () => void }) {
  const remove = useDeleteSession(session);
  const counts = useQuery({
    queryKey: ['workspace', session.workspaceId, 'session contents', session.id],
    queryFn: ({ signal }) => countContents(session, signal),
    gcTime: 0,
  });
  const along = counts.data
    ? `${plural(counts.data.messages, 'message')} and ${plural(counts.data.memories, 'memory', 'memories')} go with it.`
    : 'Its messages and memories go with it.';
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title="Delete this session?"
      action="Delete session"
      busyLabel="Deleting"
      onConfirm={async () => {
        await remove();
        showToast('Session deleted');
        onDeleted?.();
      }}
    >
      <strong className="as-written" dir="auto">
        {session.title || session.externalId}
      </strong>
      <p>{along} Its agent no longer finds them. This can’t be undone.</p>
    </ConfirmDialog>
  );
}
