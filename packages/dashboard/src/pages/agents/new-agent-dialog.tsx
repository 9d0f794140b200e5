import type { Agent } from '@commonplace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { fieldErrors } from '../../api/refusals.ts';
import { TextArea, TextField } from '../../design/field.tsx';
import { FormDialog } from '../../design/form-dialog.tsx';
import { Switch } from '../../design/switch.tsx';

interface NewAgentProps {
  readonly workspaceId: string;
  readonly onClose: () => void;
  readonly onCreated: (agent: Agent) => void;
}

export function NewAgentDialog({ workspaceId, onClose, onCreated }: NewAgentProps) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [memoryPipeline, setMemoryPipeline] = useState(true);
  const create = useMutation({
    mutationFn: () => client.workspace(workspaceId).agents.create({ name: name.trim(), description, configs: { memoryPipeline } }),
    onSuccess: (agent) => {
      void queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId, 'agents'] });
      void queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId, 'stats'] });
      onCreated(agent);
    },
  });
  const errors = fieldErrors(create.error);
  return (
    <FormDialog
      onClose={onClose}
      title="Create agent"
      lede="A handle is made from the name, for your code. It never changes."
      action="Create agent"
      busyLabel="Creating"
      sending={create}
      fields={['name', 'description']}
    >
      <TextField
        label="Name"
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={errors.name}
        placeholder="Order desk"
        maxLength={100}
        autoComplete="off"
        dir="auto"
        required
      />
      <TextArea
        label="Description"
        optional
        value={description}
        onChange={(event) => setDescription(event.target.value)}
        error={errors.description}
        maxLength={2000}
        dir="auto"
      />
      <Switch
        label="Remember what is said"
        help="Facts, preferences and a summary are drawn from its messages in the background. You can switch it at any time."
        checked={memoryPipeline}
        onChange={(event) => setMemoryPipeline(event.target.checked)}
      />
    </FormDialog>
  );
}
