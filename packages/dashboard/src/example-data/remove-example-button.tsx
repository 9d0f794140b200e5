import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { roleCan } from '../api/permissions.ts';
import { workspaceQuery } from '../api/queries.ts';
import { Button } from '../design/button.tsx';
import { ConfirmDialog } from '../design/dialog.tsx';
import { showToast } from '../design/toast.tsx';
import { exampleQuery } from './presence.ts';

/** Takes the example out again. Absent where there is none. */
export function RemoveExampleButton({ workspaceId }: { readonly workspaceId: string }) {
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState(false);
  const { data: workspace } = useQuery(workspaceQuery(workspaceId));
  const { data: found } = useQuery(exampleQuery(workspaceId));
  if (!workspace || !roleCan(workspace.role, 'CAN_DELETE_AGENT') || !(asking || found?.some)) return null;
  const remove = async () => {
    try {
      const { removeExample } = await import('./remove.ts');
      const { kept } = await removeExample(workspaceId);
      showToast('Example data is removed', {
        ...(kept.length > 0 && { note: `${kept.join(' and ')} stays: it has sessions that were not example data.` }),
      });
    } finally {
      await queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId] });
    }
  };
  return (
    <>
      <Button icon="trash" onClick={() => setAsking(true)}>
        Remove example data
      </Button>
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title="Remove the example data?"
        action="Remove example data"
        busyLabel="Removing"
        onConfirm={remove}
      >
        Its agents, sessions, memories, prompt and documents are deleted, also where you renamed or changed them. What you made yourself
        stays. This can’t be undone.
      </ConfirmDialog>
    </>
  );
}
