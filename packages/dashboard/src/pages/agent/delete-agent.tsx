import type { Agent } from '@commonplace/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { client } from '../../api/client.ts';
import { useCan } from '../../api/permissions.ts';
import { DangerZone } from '../../design/danger-zone.tsx';
import { ConfirmDialog } from '../../design/dialog.tsx';
import { plural } from '../../design/numbers.ts';
import { showToast } from '../../design/toast.tsx';

const route = getRouteApi('/signed-in/w/$workspaceId/agents/$agentId');

export function DeleteAgent({ agent }: { readonly agent: Agent }) {
  const { workspaceId, id: agentId } = agent;
  const queryClient = useQueryClient();
  const navigate = route.useNavigate();
  const search = route.useSearch();
  const mayDelete = useCan('CAN_DELETE_AGENT');
  const asking = search.delete === true && mayDelete;
  const workspace = client.workspace(workspaceId);
  const { data: counts } = useQuery({
    queryKey: ['workspace', workspaceId, 'agents', agentId, 'counts'],
    queryFn: async ({ signal }) => {
      const [sessions, memories] = await Promise.all([
        workspace.sessions.list(agentId, { limit: 1 }, { signal }),
        workspace.memories.listAgent(agentId, { limit: 1 }, { signal }),
      ]);
      return { sessions: sessions.meta.total, memories: memories.meta.total };
    },
    enabled: asking,
  });
  const remove = async () => {
    await workspace.agents.delete(agentId);
    await navigate({ to: '/w/$workspaceId/agents', params: { workspaceId } });
    queryClient.removeQueries({ queryKey: ['workspace', workspaceId, 'agents', agentId] });
    await queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId] });
    showToast(`${agent.name} is deleted`);
  };
  return (
    <>
      <DangerZone
        title="Delete this agent"
        action="Delete agent"
        refusal={!mayDelete && 'An owner or admin can delete it.'}
        onPress={() => void navigate({ search: (old) => ({ ...old, delete: true }), resetScroll: false })}
      >
        With its sessions, their messages and memories. Archive it instead to keep them.
      </DangerZone>
      {asking && (
        <ConfirmDialog
          open
          onClose={() => void navigate({ search: ({ delete: _, ...old }) => old, replace: true, resetScroll: false })}
          title={`Delete ${agent.name}?`}
          action="Delete agent"
          busyLabel="Deleting"
          onConfirm={remove}
        >
          {counts
            ? `${plural(counts.sessions, 'session')} with all messages, and ${plural(counts.memories, 'memory', 'memories')} go with it.`
            : 'Its sessions with all messages and memories go with it.'}{' '}
          Programs that use it are refused at once. Prompts and documents stay. This can’t be undone.
        </ConfirmDialog>
      )}
    </>
  );
}
