import type { Agent } from '@commonplace/client';
import { Link } from '@tanstack/react-router';
import { Loaded } from '../../design/feedback.tsx';
import { Icon } from '../../design/icon.tsx';
import { Card } from '../../design/page.tsx';
import { MOST_LOOKED_AT } from './queries.ts';

interface Users {
  readonly agents: readonly Agent[];
  readonly lookedAtAll: boolean;
}

interface UsedByProps {
  readonly workspaceId: string;
  readonly query: { readonly data: Users | undefined; readonly error: unknown; readonly refetch: () => unknown };
}

export function UsedByCard({ workspaceId, query }: UsedByProps) {
  return (
    <Card title="Used by">
      <Loaded query={query} skeletonLines={1}>
        {({ agents, lookedAtAll }) => (
          <div className="stack tight">
            {agents.length === 0 && (
              <p className="soft">
                No agent points to this prompt.{' '}
                <Link to="/w/$workspaceId/agents" params={{ workspaceId }}>
                  Choose it for an agent
                </Link>{' '}
                and it comes first in the agent's context.
              </p>
            )}
            {agents.length > 0 && (
              <ul className="stack tight">
                {agents.map((agent) => (
                  <li key={agent.id} className="row">
                    <Icon name="agents" />
                    <Link className="truncate" to="/w/$workspaceId/agents/$agentId" params={{ workspaceId, agentId: agent.id }}>
                      {agent.name}
                    </Link>
                  </li>
                ))}
              </ul>
            )}
            {!lookedAtAll && <p className="muted small">Among the newest {MOST_LOOKED_AT.toLocaleString('en')} agents.</p>}
          </div>
        )}
      </Loaded>
    </Card>
  );
}

/** "Order desk", "Order desk and Storefront", "Order desk, Storefront and 3 more" */
export function nameAgents(agents: readonly Agent[]): string {
  const names = agents.map(({ name }) => name);
  if (names.length <= 1) return names[0] ?? '';
  if (names.length <= 3) return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`;
}
