import type { Session } from '@commonplace/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { roleCan } from '../api/permissions.ts';
import { workspaceQuery } from '../api/queries.ts';
import { Button } from '../design/button.tsx';
import { ErrorNotice } from '../design/error-notice.tsx';
import { Progress } from '../design/feedback.tsx';
import { plural } from '../design/numbers.ts';
import { showToast } from '../design/toast.tsx';
import type { Filled, FillProgress } from './fill.ts';
import { exampleQuery } from './presence.ts';
import './example-data.css';

const SESSION_PAGE = '/w/$workspaceId/agents/$agentId/sessions/$sessionId';
const paramsOf = (workspaceId: string, { agentId, id }: Session) => ({ workspaceId, agentId, sessionId: id });

/** Fills the workspace with the example. Absent for those who may not write, and where the example is whole already. */
export function FillExampleButton({ workspaceId }: { readonly workspaceId: string }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { data: workspace } = useQuery(workspaceQuery(workspaceId));
  const { data: found } = useQuery(exampleQuery(workspaceId));
  const place = useRef<HTMLDivElement>(null);
  const [progress, setProgress] = useState<FillProgress>();
  const fill = useMutation({
    mutationFn: async () => {
      const { fillWithExample } = await import('./fill.ts');
      return fillWithExample(workspaceId, setProgress);
    },
    onSuccess: ({ sessions: [session] }) => {
      place.current?.focus({ preventScroll: true });
      const see = session && (() => void navigate({ to: SESSION_PAGE, params: paramsOf(workspaceId, session) }));
      showToast('The workspace has example data', {
        note: 'You can remove it in the settings.',
        ...(see && { action: { label: 'See a session', onPress: see } }),
      });
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
        {fill.data && !offers && <Added workspaceId={workspaceId} filled={fill.data} />}
      </div>
      {fill.error && <ErrorNotice error={fill.error} onRetry={() => fill.mutate()} />}
    </div>
  );
}

/** Where the button was: what it made, and one of it to look at. */
function Added({ workspaceId, filled }: { readonly workspaceId: string; readonly filled: Filled }) {
  const { agents, sessions, documents } = filled;
  const [session] = sessions;
  return (
    <span className="soft">
      Example data is here: {plural(agents, 'agent')}, {plural(sessions.length, 'session')}, a prompt and {plural(documents, 'document')}.{' '}
      {session && (
        <Link to={SESSION_PAGE} params={paramsOf(workspaceId, session)}>
          See a session
        </Link>
      )}
    </span>
  );
}
