import type { CreatedAccessKey } from '@commonplace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { permissionsOf } from '../../api/key-presets.ts';
import { shownOnce } from '../../api/shown-once.ts';
import { Button, type ButtonVariant } from '../../design/button.tsx';
import { ErrorNotice } from '../../design/error-notice.tsx';

interface NewKeyProps {
  readonly workspaceId: string;
  readonly agentName: string;
  readonly label: string;
  readonly variant?: ButtonVariant;
  /** Holds the key as long as the page is open; it can't be read again. */
  readonly onCreated: (key: CreatedAccessKey) => void;
}

/** So much of the agent's name, in a name of at most 60 characters. */
const NAME_SHOWN = 40;

export function NewKeyButton({ workspaceId, agentName, label, variant, onCreated }: NewKeyProps) {
  const queryClient = useQueryClient();
  const create = useMutation({
    ...shownOnce,
    mutationFn: () =>
      client.workspace(workspaceId).accessKeys.create({
        name: `${Array.from(agentName).slice(0, NAME_SHOWN).join('')}, first steps`,
        permissions: permissionsOf('runtime'),
      }),
    onSuccess: async (key) => {
      onCreated(key);
      await queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId, 'keys'] });
    },
  });
  return (
    <>
      <div>
        <Button variant={variant} icon="key" busy={create.isPending && 'Creating'} onClick={() => create.mutate()}>
          {label}
        </Button>
      </div>
      {create.error && <ErrorNotice error={create.error} />}
    </>
  );
}
