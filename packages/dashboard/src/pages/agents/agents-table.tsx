import type { Agent } from '@commonplace/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { promptsQuery } from '../../api/queries.ts';
import { Badge } from '../../design/badge.tsx';
import { Table } from '../../design/page.tsx';
import { Time } from '../../design/time.tsx';
import './agents.css';

export function AgentsTable({ workspaceId, agents }: { readonly workspaceId: string; readonly agents: readonly Agent[] }) {
  const { data: prompts = [] } = useQuery(promptsQuery(workspaceId));
  return (
    <Table label="Agents" columns={['Name', 'Handle', 'Memory', 'Prompt', 'Sessions', { name: 'Changed', end: true }]}>
      {agents.map((agent) => (
        <tr key={agent.id}>
          <td className="title agent-name">
            <span className="row wrap">
              <Link to="/w/$workspaceId/agents/$agentId" params={{ workspaceId, agentId: agent.id }} data-stop dir="auto">
                {agent.name}
              </Link>
              {agent.status === 'archived' && <Badge tone="outline">Archived</Badge>}
            </span>
            {agent.description && (
              <span className="agent-about" dir="auto">
                {agent.description}
              </span>
            )}
          </td>
          <td className="mono muted agent-handle" title={agent.handle}>
            {agent.handle}
          </td>
          <td className="nowrap">
            {agent.configs.memoryPipeline ? (
              <Badge tone="ok" dot="still">
                On
              </Badge>
            ) : (
              <Badge>Off</Badge>
            )}
            {agent.configs.memorySubject && (
              <span className="muted small truncate agent-subject">&nbsp;by {agent.configs.memorySubject}</span>
            )}
          </td>
          <td className="hide-phone">
            {agent.promptId ? (
              <Link to="/w/$workspaceId/prompts/$promptId" params={{ workspaceId, promptId: agent.promptId }} dir="auto">
                {prompts.find(({ promptId }) => promptId === agent.promptId)?.name ?? 'A prompt'}
              </Link>
            ) : (
              <span className="muted">None</span>
            )}
          </td>
          <td>
            <Link
              to="/w/$workspaceId/sessions"
              params={{ workspaceId }}
              search={{ agent: agent.id }}
              aria-label={`Sessions of ${agent.name}`}
            >
              Sessions
            </Link>
          </td>
          <td className="end nowrap">
            <Time at={agent.updatedAt} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
