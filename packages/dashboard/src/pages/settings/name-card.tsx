import type { Workspace } from '@commonplace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { roleCan } from '../../api/permissions.ts';
import { workspaceQuery, workspacesQuery } from '../../api/queries.ts';
import { fieldErrors } from '../../api/refusals.ts';
import { Button } from '../../design/button.tsx';
import { ErrorNotice } from '../../design/error-notice.tsx';
import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Card } from '../../design/page.tsx';
import { showToast } from '../../design/toast.tsx';

export function NameCard({ workspace }: { readonly workspace: Workspace }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState(workspace.name);
  const mayRename = roleCan(workspace.role, 'CAN_UPDATE_WORKSPACE');
  const rename = useMutation({
    mutationFn: () => client.workspaces.update(workspace.id, { name: name.trim() }),
    onSuccess: async (renamed) => {
      queryClient.setQueryData(workspaceQuery(workspace.id).queryKey, renamed);
      setName(renamed.name);
      await queryClient.invalidateQueries({ queryKey: workspacesQuery.queryKey });
      showToast(`The workspace is named ${renamed.name}`);
    },
  });
  const errors = fieldErrors(rename.error);
  return (
    <Card title="Name">
      <Form
        className="stack"
        onSubmit={() => {
          rename.mutate();
        }}
      >
        <TextField
          label="Name of the workspace"
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={errors.name}
          help={mayRename ? '3 to 60 characters. Ids and the handle stay as they are.' : 'An owner or admin can rename it.'}
          disabled={!mayRename}
          maxLength={60}
          dir="auto"
          required
        />
        {rename.error && !errors.name && <ErrorNotice error={rename.error} />}
        <div>
          <Button
            type="submit"
            variant="primary"
            busy={rename.isPending && 'Saving'}
            disabled={!mayRename || name.trim() === workspace.name}
          >
            Save name
          </Button>
        </div>
      </Form>
    </Card>
  );
}
