import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { fieldErrors } from '../../api/refusals.ts';
import { TextArea, TextField } from '../../design/field.tsx';
import { FormDialog } from '../../design/form-dialog.tsx';
import { parseLabel } from '../session/details/parse-label.ts';

interface NewSessionProps {
  readonly workspaceId: string;
  readonly agentId: string;
  readonly onClose: () => void;
}

const LONGEST = 255;

export function NewSessionDialog({ workspaceId, agentId, onClose }: NewSessionProps) {
  const [title, setTitle] = useState('');
  const [id, setId] = useState('');
  const [labels, setLabels] = useState('');
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const lines = labels.split('\n').filter((line) => line.trim() !== '');
  const bad = lines.find((line) => !parseLabel(line));
  const create = useMutation({
    mutationFn: () => {
      const parsed = lines.flatMap((line) => parseLabel(line) ?? []);
      return client.workspace(workspaceId).sessions.create(agentId, {
        ...(title && { title }),
        ...(id && { id }),
        labels: Object.fromEntries(parsed.map(({ name, value }) => [name, value])),
      });
    },
    onSuccess: async (session) => {
      void queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId, 'sessions', agentId] });
      void queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId, 'stats'] });
      onClose();
      await navigate({
        to: '/w/$workspaceId/agents/$agentId/sessions/$sessionId',
        params: { workspaceId, agentId, sessionId: session.id },
      });
    },
  });
  const wrong = fieldErrors(create.error);
  return (
    <FormDialog
      onClose={onClose}
      title="New session"
      lede="Your agent makes its sessions itself, with its first message. This one is made by you."
      action="Create session"
      busyLabel="Creating"
      sending={create}
      fields={['title', 'id', 'labels']}
      disabled={bad !== undefined}
    >
      <TextField
        label="Title"
        optional
        dir="auto"
        maxLength={LONGEST}
        value={title}
        error={wrong.title}
        onChange={(event) => setTitle(event.target.value)}
      />
      <TextField
        label="External id"
        optional
        help="Your own id of the conversation. One is made when you leave this empty."
        maxLength={LONGEST}
        value={id}
        error={wrong.id}
        onChange={(event) => setId(event.target.value)}
      />
      <TextArea
        label="Labels"
        optional
        help="One on a line, as key=value."
        className="mono"
        spellCheck={false}
        value={labels}
        error={bad === undefined ? wrong.labels : `“${bad.slice(0, 40)}” is not key=value.`}
        onChange={(event) => setLabels(event.target.value)}
      />
    </FormDialog>
  );
}
