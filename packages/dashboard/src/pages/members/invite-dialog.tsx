import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, serviceUrl } from '../../api/client.ts';
import type { Role } from '../../api/permissions.ts';
import { fieldErrors } from '../../api/refusals.ts';
import { shownOnce } from '../../api/shown-once.ts';
import { Button } from '../../design/button.tsx';
import { Choices } from '../../design/choices.tsx';
import { SecretText } from '../../design/code.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { TextField } from '../../design/field.tsx';
import { FormDialog } from '../../design/form-dialog.tsx';
import { roleNames } from '../../shell/workspace-switcher.tsx';
import { roleNotes, rolesToGive } from './roles.ts';

interface InviteDialogProps {
  readonly workspaceId: string;
  readonly ownRole: Role;
  readonly onClose: () => void;
}

/** Asks for an address and a role, then shows the link. The service sends no mail. */
export function InviteDialog({ workspaceId, ownRole, onClose }: InviteDialogProps) {
  const queryClient = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('readonly');
  const create = useMutation({
    ...shownOnce,
    mutationFn: () => client.workspace(workspaceId).invites.create({ email: email.trim(), role }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId, 'invites'] }),
  });
  const errors = fieldErrors(create.error);
  if (create.data) {
    return (
      <Dialog
        open
        onClose={onClose}
        title="Send them this link"
        lede={`For ${create.data.email} alone, for 7 days. It is shown this once; withdraw the invite and make another if it is lost.`}
        dismissible={false}
        foot={
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        }
      >
        <SecretText text={`${serviceUrl}/invites/${create.data.token}`} />
        <p className="help">No mail is sent: hand it over the way you talk to them. With it they sign in or make an account, and join.</p>
      </Dialog>
    );
  }
  return (
    <FormDialog
      onClose={onClose}
      title="Invite member"
      lede="You get a link to hand over."
      action="Create invite"
      busyLabel="Inviting"
      sending={create}
      fields={['email']}
    >
      <TextField
        label="E-mail"
        type="email"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        error={errors.email}
        autoComplete="off"
        required
      />
      <Choices
        label="Role"
        items={rolesToGive(ownRole).map((choice) => ({ value: choice, label: roleNames[choice], note: roleNotes[choice] }))}
        value={role}
        onChange={setRole}
      />
    </FormDialog>
  );
}
