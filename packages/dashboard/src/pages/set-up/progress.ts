/** How far the first run has come, from what exists: a reload goes on where it was. */
import type { Agent, Workspace } from '@commonplace/client';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { agentsQuery, authStatusQuery, meQuery, workspacesQuery } from '../../api/queries.ts';
import { isStatus } from '../../api/refusals.ts';
import { isExampleAgent } from '../../example-data/marks.ts';
import { rememberedWorkspace } from '../../shell/last-workspace.ts';

export type SetUpProgress =
  | { readonly at: 'loading'; readonly error: unknown; readonly retry: () => void }
  | { readonly at: 'signed-out' }
  | { readonly at: 'account' }
  | { readonly at: 'workspace'; readonly email: string }
  | { readonly at: 'agent'; readonly email: string; readonly workspace: Workspace }
  | { readonly at: 'key'; readonly email: string; readonly workspace: Workspace; readonly agent: Agent };

/** What was reached stays in sight while the next is asked for. */
export function useSetUpProgress(): SetUpProgress {
  const progress = useProgressNow();
  const reached = useRef(progress);
  if (progress.at !== 'loading' || progress.error) reached.current = progress;
  return reached.current;
}

function useProgressNow(): SetUpProgress {
  const status = useQuery(authStatusQuery);
  const needsSetup = status.data?.needsSetup;
  const me = useQuery({ ...meQuery, enabled: needsSetup === false });
  const workspaces = useQuery({ ...workspacesQuery, enabled: me.data !== undefined });
  const workspace = workspaces.data?.find(({ id }) => id === rememberedWorkspace()) ?? workspaces.data?.at(-1);
  const agents = useQuery({ ...agentsQuery(workspace?.id ?? ''), enabled: workspace !== undefined });
  if (needsSetup) return { at: 'account' };
  if (me.error && !me.data) return isStatus(me.error, 401) ? { at: 'signed-out' } : waiting(me.error, me.refetch);
  if (!me.data || !workspaces.data) return waiting(status.error ?? workspaces.error, status.error ? status.refetch : workspaces.refetch);
  const email = me.data.owner?.email ?? '';
  if (!workspace) return { at: 'workspace', email };
  if (!agents.data) return waiting(agents.error, agents.refetch);
  const active = agents.data.filter((agent) => agent.status === 'active');
  const agent = active.find((each) => !isExampleAgent(each));
  return agent ? { at: 'key', email, workspace, agent } : { at: 'agent', email, workspace };
}

const waiting = (error: unknown, retry: () => unknown): SetUpProgress => ({ at: 'loading', error, retry: () => void retry() });
