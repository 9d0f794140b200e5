import type { CreatedAccessKey, Permission } from '@commonplace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { everyPermission, permissionsOf, presetNames, presetOf, presets, summaryOf } from '../../api/key-presets.ts';
import { fieldErrors } from '../../api/refusals.ts';
import { shownOnce } from '../../api/shown-once.ts';
import { Button } from '../../design/button.tsx';
import { Choices } from '../../design/choices.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { ErrorNotice } from '../../design/error-notice.tsx';
import { FieldError, TextField } from '../../design/field.tsx';
import { AgentsChoice } from './agents-choice.tsx';
import { expiryOf, type Lifetime, LifetimeField } from './expiry.tsx';
import { PermissionMatrix } from './permission-matrix.tsx';

interface NewKeyProps {
  readonly workspaceId: string;
  readonly onClose: () => void;
  readonly onCreated: (key: CreatedAccessKey) => void;
}

const shown = ['name', 'permissions', 'expiresAt', 'agentIds'];

export function NewKeyDialog({ workspaceId, onClose, onCreated }: NewKeyProps) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [lifetime, setLifetime] = useState<Lifetime>('90');
  const [held, setHeld] = useState<ReadonlySet<Permission>>(() => new Set(permissionsOf('runtime')));
  const [agentIds, setAgentIds] = useState<readonly string[]>();
  const permissions = everyPermission.filter((permission) => held.has(permission));
  const create = useMutation({
    ...shownOnce,
    mutationFn: () =>
      client.workspace(workspaceId).accessKeys.create({
        name: name.trim(),
        permissions,
        expiresAt: expiryOf(lifetime, Date.now()),
        ...(agentIds && { agentIds: [...agentIds] }),
      }),
    onSuccess: async (key) => {
      onCreated(key);
      await queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId, 'keys'] });
    },
  });
  const errors = fieldErrors(create.error);
  const shownAtFields = Object.keys(errors).some((path) => shown.includes(path));
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="Create access key"
      lede="Give it as little as its work needs."
      onSubmit={() => create.mutate()}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={create.isPending && 'Creating'} disabled={permissions.length === 0}>
            Create key
          </Button>
        </>
      }
    >
      <div className="key-head">
        <TextField
          label="Name"
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={errors.name}
          maxLength={60}
          placeholder="order-desk-production"
          autoComplete="off"
          required
        />
        <LifetimeField value={lifetime} error={errors.expiresAt} onChange={setLifetime} />
      </div>
      <Choices
        label="What is it for?"
        items={presetNames.map((preset) => ({ value: preset, label: presets[preset].label, note: presets[preset].note }))}
        value={presetOf(permissions)}
        onChange={(preset) => setHeld(new Set(permissionsOf(preset)))}
      />
      <div className="field">
        <div className="row">
          <span className="label">Permissions</span>
          <span className="muted small push num" role="status">
            {summaryOf(permissions)}, {permissions.length} of {everyPermission.length} permissions
          </span>
        </div>
        <PermissionMatrix label="Permissions" held={held} onChange={setHeld} />
        {errors.permissions && <FieldError id="permissions-error">{errors.permissions}</FieldError>}
      </div>
      <AgentsChoice workspaceId={workspaceId} agentIds={agentIds} error={errors.agentIds} onChange={setAgentIds} />
      {create.error && !shownAtFields && <ErrorNotice error={create.error} />}
    </Dialog>
  );
}
