import type { CreatedApiKey } from '@commonplace/client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { fieldErrors } from '../../api/refusals.ts';
import { shownOnce } from '../../api/shown-once.ts';
import { TextField } from '../../design/field.tsx';
import { FormDialog } from '../../design/form-dialog.tsx';
import { expiryOf, type Lifetime, LifetimeField } from '../keys/expiry.tsx';

interface NewOwnKeyProps {
  readonly onClose: () => void;
  readonly onCreated: (key: CreatedApiKey) => void;
}

export function NewOwnKeyDialog({ onClose, onCreated }: NewOwnKeyProps) {
  const [name, setName] = useState('');
  const [lifetime, setLifetime] = useState<Lifetime>('90');
  const create = useMutation({
    ...shownOnce,
    mutationFn: () => client.apiKeys.create({ name: name.trim(), expiresAt: expiryOf(lifetime, Date.now()) }),
    onSuccess: onCreated,
  });
  const errors = fieldErrors(create.error);
  return (
    <FormDialog
      onClose={onClose}
      title="Create API key"
      lede="It does everything that you may do."
      action="Create key"
      busyLabel="Creating"
      sending={create}
      fields={['name', 'expiresAt']}
    >
      <TextField
        label="Name"
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={errors.name}
        placeholder="Laptop"
        maxLength={255}
        autoComplete="off"
        required
      />
      <LifetimeField value={lifetime} error={errors.expiresAt} onChange={setLifetime} />
    </FormDialog>
  );
}
