import type { Agent, Prompt } from '@commonplace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { useCan } from '../../api/permissions.ts';
import { fieldErrors } from '../../api/refusals.ts';
import { IconButton } from '../../design/button.tsx';
import { ConfirmDialog } from '../../design/dialog.tsx';
import { TextArea, TextField } from '../../design/field.tsx';
import { FormDialog } from '../../design/form-dialog.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../design/menu.tsx';
import { plural } from '../../design/numbers.ts';
import { showToast } from '../../design/toast.tsx';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { promptQuery, refreshPrompts } from './queries.ts';
import { nameAgents } from './used-by-card.tsx';

interface PromptMenuProps {
  readonly workspaceId: string;
  readonly prompt: Prompt;
  readonly agents: readonly Agent[];
  readonly onDeleted: () => void;
}

/** What can be done with the prompt as a whole. */
export function PromptMenu({ workspaceId, prompt, agents, onDeleted }: PromptMenuProps) {
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const canUpdate = useCan('CAN_UPDATE_PROMPT');
  const canDelete = useCan('CAN_DELETE_PROMPT');
  const edit = () => canUpdate && setOpen('edit');
  useShortcuts({ E: edit });
  if (!canUpdate && !canDelete) return null;
  const close = () => setOpen(undefined);
  const remove = async () => {
    await client.workspace(workspaceId).prompts.delete(prompt.promptId);
    onDeleted();
    showToast(`${prompt.name} is deleted`);
    await navigate({ to: '/w/$workspaceId/prompts', params: { workspaceId } });
    await refreshPrompts(queryClient, workspaceId);
  };
  return (
    <>
      <Menu trigger={<IconButton icon="more" label="More for this prompt" />}>
        {canUpdate && (
          <MenuItem icon="edit" onSelect={() => setOpen('edit')}>
            Rename or describe
          </MenuItem>
        )}
        {canDelete && <MenuSeparator />}
        {canDelete && (
          <MenuItem icon="trash" danger onSelect={() => setOpen('delete')}>
            Delete prompt
          </MenuItem>
        )}
      </Menu>
      {open === 'edit' && <EditDialog workspaceId={workspaceId} prompt={prompt} onClose={close} />}
      <ConfirmDialog
        open={open === 'delete'}
        onClose={close}
        title={`Delete “${prompt.name}” with ${plural(prompt.versionCount, 'version')}?`}
        action="Delete prompt"
        busyLabel="Deleting"
        onConfirm={remove}
      >
        {agents.length > 0 ? `${nameAgents(agents)} ${agents.length === 1 ? 'loses' : 'lose'} this prompt. ` : 'No agent points to it. '}
        Programs that ask for <code>{prompt.handle}</code> get an error. This can't be undone.
      </ConfirmDialog>
    </>
  );
}

function EditDialog({ workspaceId, prompt, onClose }: Pick<PromptMenuProps, 'workspaceId' | 'prompt'> & { readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState(prompt.name);
  const [description, setDescription] = useState(prompt.description);
  const save = useMutation({
    mutationFn: () => client.workspace(workspaceId).prompts.update(prompt.promptId, { name, description }),
    onSuccess: async (saved) => {
      queryClient.setQueryData(promptQuery(workspaceId, prompt.promptId).queryKey, saved);
      onClose();
      showToast(`Saved ${saved.name}`);
      await refreshPrompts(queryClient, workspaceId);
    },
  });
  const errors = fieldErrors(save.error);
  return (
    <FormDialog
      onClose={onClose}
      title="Rename or describe"
      lede="The handle follows the name. Programs that ask by the old one get an error."
      action="Save prompt"
      busyLabel="Saving"
      sending={save}
      fields={['name', 'description']}
    >
      <TextField label="Name" value={name} maxLength={150} required error={errors.name} onChange={(event) => setName(event.target.value)} />
      <TextArea
        label="Description"
        optional
        value={description}
        maxLength={2000}
        error={errors.description}
        onChange={(event) => setDescription(event.target.value)}
      />
    </FormDialog>
  );
}
