import type { Workspace } from '@commonplace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../api/client.ts';
import { workspacesQuery } from '../api/queries.ts';
import { fieldErrors } from '../api/refusals.ts';
import { TextField } from '../design/field.tsx';
import { FormDialog } from '../design/form-dialog.tsx';

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
    <FormDialog
      onClose={onClose}
      title="New workspace"
      lede="A workspace has its own members, keys, agents and data. Nothing is shared between two."
      action="Create workspace"
      busyLabel="Creating"
      sending={create}
      fields={['name']}
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
    </FormDialog>
  );
}
