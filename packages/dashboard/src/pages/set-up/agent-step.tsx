import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { fieldErrors } from '../../api/refusals.ts';
import { Button } from '../../design/button.tsx';
import { ErrorNotice } from '../../design/error-notice.tsx';
import { Checkbox, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';

export function AgentStep({ workspaceId }: { readonly workspaceId: string }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [memoryPipeline, setMemoryPipeline] = useState(true);
  const create = useMutation({
    mutationFn: () => client.workspace(workspaceId).agents.create({ name: name.trim(), configs: { memoryPipeline } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId] }),
  });
  const errors = fieldErrors(create.error);
  return (
    <Form
      className="stack step-form"
      onSubmit={() => {
        create.mutate();
      }}
    >
      <p className="soft">
        An agent is whatever talks to people for you: a chat, a desk, an editor. Its sessions and memories are its own.
      </p>
      <TextField
        label="Name"
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={errors.name}
        maxLength={60}
        autoComplete="off"
      />
      <div>
        <Checkbox label="Remember what users say" checked={memoryPipeline} onChange={(event) => setMemoryPipeline(event.target.checked)} />
        <p className="help">
          Memory extraction turns each message of a user into short sentences with their source, on this service and without a language
          model. You can switch it off at any time.
        </p>
      </div>
      {create.error && !errors.name && <ErrorNotice error={create.error} />}
      <div>
        <Button type="submit" variant="primary" busy={create.isPending && 'Creating'}>
          Create agent
        </Button>
      </div>
    </Form>
  );
}
