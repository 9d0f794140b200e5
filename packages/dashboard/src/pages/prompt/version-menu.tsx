import type { Agent, Prompt, PromptVersion } from '@commonplace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { useCan } from '../../api/permissions.ts';
import { IconButton } from '../../design/button.tsx';
import { ConfirmDialog } from '../../design/dialog.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../design/menu.tsx';
import { showToast } from '../../design/toast.tsx';
import { drafts } from './kept.ts';
import { refreshPrompts } from './queries.ts';
import { nameAgents } from './used-by-card.tsx';

interface VersionMenuProps {
  readonly workspaceId: string;
  readonly prompt: Prompt;
  readonly version: PromptVersion;
  readonly agents: readonly Agent[];
  /** Where it has unsaved changes. */
  readonly onDiscard: (() => void) | undefined;
  readonly onDeleted: () => void;
}

/** What can be done with the version in the editor. */
export function VersionMenu({ workspaceId, prompt, version, agents, onDiscard, onDeleted }: VersionMenuProps) {
  const [deleting, setDeleting] = useState(false);
  const queryClient = useQueryClient();
  const { versions } = client.workspace(workspaceId).prompts;
  const status = version.status === 'active' ? 'archived' : 'active';
  const archive = useMutation({
    mutationFn: () => versions.update(version.promptId, version.id, { status }),
    onSuccess: () => showToast(status === 'archived' ? `v${version.version} is archived` : `v${version.version} is active again`),
    onError: (error) => showToast(error.message, { danger: true }),
    onSettled: () => refreshPrompts(queryClient, workspaceId),
  });
  const canUpdate = useCan('CAN_UPDATE_PROMPT');
  const canDelete = useCan('CAN_DELETE_PROMPT');
  if (!canUpdate && !canDelete) return null;
  const remove = async () => {
    await versions.delete(version.promptId, version.id);
    drafts.set(version.id, undefined);
    onDeleted();
    showToast(`v${version.version} is deleted`);
    await refreshPrompts(queryClient, workspaceId);
  };
  return (
    <>
      <Menu trigger={<IconButton icon="more" label={`More for v${version.version}`} small />}>
        {onDiscard && (
          <MenuItem icon="refresh" onSelect={onDiscard}>
            Discard changes
          </MenuItem>
        )}
        {canUpdate && (
          <MenuItem icon="file" onSelect={() => archive.mutate()}>
            {version.status === 'active' ? 'Archive version' : 'Make active again'}
          </MenuItem>
        )}
        {canDelete && <MenuSeparator />}
        {canDelete && (
          <MenuItem icon="trash" danger onSelect={() => setDeleting(true)}>
            Delete version
          </MenuItem>
        )}
      </Menu>
      <ConfirmDialog
        open={deleting}
        onClose={() => setDeleting(false)}
        title={`Delete v${version.version}?`}
        action={`Delete v${version.version}`}
        busyLabel="Deleting"
        onConfirm={remove}
      >
        {consequence(prompt, version, agents)} This can't be undone.
      </ConfirmDialog>
    </>
  );
}

function consequence(prompt: Prompt, version: PromptVersion, agents: readonly Agent[]): string {
  if (prompt.versionCount === 1)
    return `It is the only version, so the prompt “${prompt.name}” goes with it.${agents.length > 0 ? ` ${nameAgents(agents)} would have no prompt.` : ''}`;
  if (version.production) return 'It is in production: whoever asks for production gets an error until you promote another version.';
  return 'Its number is not used again.';
}
