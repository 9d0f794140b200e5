import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { workspacesQuery } from '../../api/queries.ts';
import { fieldErrors } from '../../api/refusals.ts';
import { Button } from '../../design/button.tsx';
import { ErrorNotice } from '../../design/error-notice.tsx';
import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';

export function WorkspaceStep() {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const create = useMutation({
    mutationFn: () => client.workspaces.create({ name: name.trim() }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: workspacesQuery.queryKey }),
  });
  const errors = fieldErrors(create.error);
  return (
    <Form
      className="stack step-form"
      onSubmit={() => {
        create.mutate();
      }}
    >
      <p className="soft">A workspace has its own members, keys, agents and data. Name it after your team or your product.</p>
      <TextField
        label="Name"
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={errors.name}
        help="3 to 60 characters. You can rename it at any time."
        maxLength={60}
        autoComplete="organization"
      />
      {create.error && !errors.name && <ErrorNotice error={create.error} />}
      <div>
        <Button type="submit" variant="primary" busy={create.isPending && 'Creating'}>
          Create workspace
        </Button>
      </div>
    </Form>
  );
}
