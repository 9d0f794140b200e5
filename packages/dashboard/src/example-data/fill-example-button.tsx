import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { roleCan } from '../api/permissions.ts';
import { workspaceQuery } from '../api/queries.ts';
import { Button } from '../design/button.tsx';
import { ErrorNotice } from '../design/error-notice.tsx';
import { Progress } from '../design/feedback.tsx';
import { showToast } from '../design/toast.tsx';
import type { FillProgress } from './fill.ts';
import { exampleQuery } from './presence.ts';
import './example-data.css';

/** Fills the workspace with the example. Absent for those who may not write, and where the example is whole already. */
export function FillExampleButton({ workspaceId }: { readonly workspaceId: string }) {
  const queryClient = useQueryClient();
  const { data: workspace } = useQuery(workspaceQuery(workspaceId));
  const { data: found } = useQuery(exampleQuery(workspaceId));
  const place = useRef<HTMLDivElement>(null);
  const [progress, setProgress] = useState<FillProgress>();
  const fill = useMutation({
    mutationFn: async () => {
      const { fillWithExample } = await import('./fill.ts');
      await fillWithExample(workspaceId, setProgress);
    },
    onSuccess: () => {
      place.current?.focus({ preventScroll: true });
      showToast('The workspace has example data', { note: 'Remove it in the settings, or under Get started.' });
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId] }),
  });
  if (!workspace || !roleCan(workspace.role, 'CAN_CREATE_AGENT')) return null;
  const offers = !found?.whole || fill.isPending || fill.error;
  return (
    // What was pressed goes away when it is done; the focus stays in its place.
    <div className="fill-example" ref={place} tabIndex={-1}>
      {offers && (
        <Button icon="knowledge" busy={fill.isPending && 'Adding'} onClick={() => fill.mutate()}>
          Add example data
        </Button>
      )}
      <div role="status">
        {fill.isPending && progress && (
          <div className="fill-progress">
            <span className="small soft">{progress.label}</span>
            <Progress label="Adding example data" value={progress.done / progress.total} />
          </div>
        )}
      </div>
      {fill.error && <ErrorNotice error={fill.error} onRetry={() => fill.mutate()} />}
    </div>
  );
}
