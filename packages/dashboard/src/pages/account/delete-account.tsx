import { useState } from 'react';
import { client } from '../../api/client.ts';
import { DangerZone } from '../../design/danger-zone.tsx';
import { ConfirmDialog } from '../../design/dialog.tsx';
import { leave } from '../../shell/sign-out.ts';

export function DeleteAccount({ email }: { readonly email: string }) {
  const [asking, setAsking] = useState(false);
  const remove = () => leave({ end: () => client.me.delete(), to: '/sign-in?deleted=true' });
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
