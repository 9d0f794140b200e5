import type { Agent } from '@commonplace/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { useCan } from '../../api/permissions.ts';
import { DangerZone } from '../../design/danger-zone.tsx';
import { ConfirmDialog } from '../../design/dialog.tsx';
import { plural } from '../../design/numbers.ts';
import { showToast } from '../../design/toast.tsx';

export function DeleteAgent({ agent }: { readonly agent: Agent }) {
  const { workspaceId, id: agentId } = agent;
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const mayDelete = useCan('CAN_DELETE_AGENT');
  const [asking, setAsking] = useState(false);
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
        onPress={() => setAsking(true)}
      >
        With its sessions, their messages and memories. Archive it instead to keep them.
      </DangerZone>
      {asking && (
        <ConfirmDialog
          open
          onClose={() => setAsking(false)}
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
