import type { Prompt } from '@commonplace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { fieldErrors } from '../../api/refusals.ts';
import { Checkbox, TextField } from '../../design/field.tsx';
import { FormDialog } from '../../design/form-dialog.tsx';
import { showToast } from '../../design/toast.tsx';
import { writeTurns } from '../prompt/chat.ts';
import { refreshPrompts } from '../prompt/queries.ts';

/** A version needs a content, so that the first has something to be changed. */
const FIRST_WORDS = 'You are a helpful assistant of {{company}}.';

const types = [
  { type: 'text', label: 'Text', note: 'one text, such as a system prompt', content: FIRST_WORDS },
  {
    type: 'chat',
    label: 'Chat',
    note: 'turns of system, user and assistant',
    content: writeTurns([
      { role: 'system', content: FIRST_WORDS },
      { role: 'user', content: '{{question}}' },
    ]),
  },
] as const;

interface NewPromptProps {
  readonly workspaceId: string;
  readonly onClose: () => void;
  readonly onCreated: (prompt: Prompt) => void;
}

export function NewPromptDialog({ workspaceId, onClose, onCreated }: NewPromptProps) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [chosen, setChosen] = useState<(typeof types)[number]>(types[0]);
  const create = useMutation({
    mutationFn: () => {
      const { type, content } = chosen;
      return client.workspace(workspaceId).prompts.create({ name, description, type, content, commitMessage: 'First version' });
    },
    onSuccess: async (prompt) => {
      await refreshPrompts(queryClient, workspaceId);
      showToast(`${prompt.name} is made`, { note: 'Write its text, save it, then promote it.' });
      onCreated(prompt);
    },
  });
  const errors = fieldErrors(create.error);
  return (
    <FormDialog
      onClose={onClose}
      title="New prompt"
      lede="Its handle is made from the name; programs ask by either. You write the text on the next page."
      action="Create prompt"
      busyLabel="Creating"
      sending={create}
      fields={['name', 'description']}
    >
      <TextField
        label="Name"
        value={name}
        maxLength={150}
        required
        placeholder="Order desk reply"
        error={errors.name}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label="Description"
        optional
        value={description}
        maxLength={2000}
        error={errors.description}
        onChange={(event) => setDescription(event.target.value)}
      />
      <fieldset className="field plain-fieldset">
        <legend className="label">Type</legend>
        {types.map((type) => (
          <Checkbox
            key={type.type}
            type="radio"
            name="prompt-type"
            checked={type === chosen}
            onChange={() => setChosen(type)}
            label={
              <>
                {type.label} <span className="muted">{type.note}</span>
              </>
            }
          />
        ))}
      </fieldset>
    </FormDialog>
  );
}
