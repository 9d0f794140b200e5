import type { CreatedAccessKey } from '@commonplace/client';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { runtimeSummary } from '../../api/key-presets.ts';
import { Button } from '../../design/button.tsx';
import { plural } from '../../design/numbers.ts';
import { NewKeyButton } from '../start/new-key.tsx';

interface KeyStepProps {
  readonly workspaceId: string;
  readonly agentName: string;
  readonly onCreated: (key: CreatedAccessKey) => void;
  readonly onSkip: () => void;
}

export function KeyStep({ workspaceId, agentName, onCreated, onSkip }: KeyStepProps) {
  const { data: existing = 0 } = useQuery({
    queryKey: ['workspace', workspaceId, 'keys', 'count'],
    queryFn: async ({ signal }) => (await client.workspace(workspaceId).accessKeys.list({ limit: 1 }, { signal })).meta.total,
  });
  return (
    <div className="stack">
      <p className="soft">
        Programs sign in with an access key. This one may do what an agent needs to talk and to remember ({runtimeSummary}).{' '}
        {existing > 0 &&
          `The workspace has ${plural(existing, 'key')} already. A key is shown only once. Create a new one here, or use your own.`}
      </p>
      <div className="row wrap">
        <NewKeyButton
          workspaceId={workspaceId}
          agentName={agentName}
          label={existing > 0 ? 'Create a new key' : 'Create access key'}
          variant="primary"
          onCreated={onCreated}
        />
        {existing > 0 && (
          <Button variant="ghost" onClick={onSkip}>
            I have a key
          </Button>
        )}
      </div>
    </div>
  );
}
