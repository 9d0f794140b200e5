import type { Message } from '@commonplace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { fieldErrors } from '../../api/refusals.ts';
import { TextField } from '../../design/field.tsx';
import { FormDialog } from '../../design/form-dialog.tsx';
import { formatCount } from '../../design/numbers.ts';
import { showToast } from '../../design/toast.tsx';
import { useSessionView } from './session-view.ts';

const LONGEST_TITLE = 255;

/** A copy up to a message, or of the whole session. */
export function ForkDialog({ upTo, onClose }: { readonly upTo: Message | undefined; readonly onClose: () => void }) {
  const { place, session, pages } = useSessionView();
  const [title, setTitle] = useState(session.title ? `${session.title}, fork`.slice(0, LONGEST_TITLE) : '');
  const [id, setId] = useState('');
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const at = upTo && pages.placeOf(upTo.id);
  const fork = useMutation({
    mutationFn: () =>
      client.workspace(place.workspaceId).sessions.fork(place.agentId, place.sessionId, {
        ...(upTo && { messageId: upTo.id }),
        ...(id && { id }),
        title,
      }),
    onSuccess: async (copy) => {
      await queryClient.invalidateQueries({ queryKey: ['workspace', place.workspaceId, 'sessions', place.agentId] });
      await queryClient.invalidateQueries({ queryKey: ['workspace', place.workspaceId, 'stats'] });
      showToast('This is the fork', { note: 'What you write here does not change the session it came from.' });
      onClose();
      await navigate({
        to: '/w/$workspaceId/agents/$agentId/sessions/$sessionId',
        params: { workspaceId: place.workspaceId, agentId: place.agentId, sessionId: copy.id },
      });
    },
  });
  const wrong = fieldErrors(fork.error);
  return (
    <FormDialog
      onClose={onClose}
      title="Fork session"
      lede={
        at === undefined
          ? 'A copy with all messages and memories of its own.'
          : `A copy up to message ${formatCount(at + 1)}, with messages and memories of its own.`
      }
      action="Fork session"
      busyLabel="Forking"
      sending={fork}
      fields={['title', 'id']}
    >
      <TextField
        label="Title"
        optional
        dir="auto"
        maxLength={LONGEST_TITLE}
        value={title}
        error={wrong.title}
        onChange={(event) => setTitle(event.target.value)}
      />
      <TextField
        label="External id"
        optional
        help="Your own id of the copy. One is made when you leave this empty."
        maxLength={LONGEST_TITLE}
        value={id}
        error={wrong.id}
        onChange={(event) => setId(event.target.value)}
      />
    </FormDialog>
  );
}
