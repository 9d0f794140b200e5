import type { Workspace } from '@commonplace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../api/client.ts';
import { workspacesQuery } from '../api/queries.ts';
import { fieldErrors } from '../api/refusals.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { ErrorNotice } from '../design/error-notice.tsx';
import { TextField } from '../design/field.tsx';

interface NewWorkspaceProps {
  readonly onClose: () => void;
  readonly onCreated: (workspace: Workspace) => void;
}

export function NewWorkspaceDialog({ onClose, onCreated }: NewWorkspaceProps) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const create = useMutation({
    mutationFn: () => client.workspaces.create({ name: name.trim() }),
    onSuccess: async (workspace) => {
      await queryClient.invalidateQueries({ queryKey: workspacesQuery.queryKey });
      onClose();
      onCreated(workspace);
    },
  });
  const errors = fieldErrors(create.error);
  return (
    <Dialog
      open
      onClose={onClose}
      title="New workspace"
      lede="A workspace has its own members, keys, agents and data. Nothing is shared between two."
      onSubmit={() => create.mutate()}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={create.isPending && 'Creating'}>
            Create workspace
          </Button>
        </>
      }
    >
      <TextField
        label="Name"
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={errors.name}
        help="3 to 60 characters. You can rename it at any time."
        maxLength={60}
        required
      />
      {create.error && !errors.name && <ErrorNotice error={create.error} />}
    </Dialog>
  );
}
