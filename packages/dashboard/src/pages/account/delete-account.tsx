import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { DangerZone } from '../../design/danger-zone.tsx';
import { ConfirmDialog } from '../../design/dialog.tsx';
import { showToast } from '../../design/toast.tsx';

export function DeleteAccount({ email }: { readonly email: string }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const remove = async () => {
    await client.me.delete();
    await navigate({ to: '/sign-in' });
    queryClient.clear();
    showToast('Your account is deleted');
  };
  return (
    <>
      <DangerZone title="Delete your account" action="Delete account" onPress={() => setAsking(true)}>
        With your API keys and memberships. A workspace that has no other owner must be deleted or handed over first.
      </DangerZone>
      {asking && (
        <ConfirmDialog
          open
          onClose={() => setAsking(false)}
          title="Delete your account?"
          action="Delete account"
          busyLabel="Deleting"
          typedName={email}
          onConfirm={remove}
        >
          You are signed out everywhere, and your API keys stop working at once. What you made stays in the workspaces. This can’t be
          undone.
        </ConfirmDialog>
      )}
    </>
  );
}
