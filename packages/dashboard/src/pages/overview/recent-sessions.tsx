import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { LabelChips } from '../../design/badge.tsx';
import { Empty, Loaded } from '../../design/feedback.tsx';
import { Card, Table } from '../../design/page.tsx';
import { Time } from '../../design/time.tsx';
import { recentSessionsQuery } from './queries.ts';

const columns = ['Session', 'Agent', { name: 'Last activity', end: true }];

export function RecentSessions({ workspaceId }: { readonly workspaceId: string }) {
  const query = useQuery(recentSessionsQuery(workspaceId));
  const all = (
    <Link to="/w/$workspaceId/sessions" params={{ workspaceId }}>
      All sessions
    </Link>
  );
  return (
    <Card title="Recent sessions" aside={all} flush>
      <Loaded query={query} skeletonLines={8}>
        {(recent) =>
          recent.length === 0 ? (
            <Empty icon="sessions" title="No sessions yet">
              A session begins with your agent’s first message.
            </Empty>
          ) : (
            <Table label="Recent sessions" columns={columns}>
              {recent.map(({ session, agentName }) => (
                <tr key={session.id}>
                  <td className="overview-session">
                    <Link
                      to="/w/$workspaceId/agents/$agentId/sessions/$sessionId"
                      params={{ workspaceId, agentId: session.agentId, sessionId: session.id }}
                      className="title truncate"
                      dir="auto"
                    >
                      {session.title || session.externalId}
                    </Link>
                    <LabelChips labels={session.labels} />
                  </td>
                  <td className="overview-agent truncate" dir="auto">
                    {agentName}
                  </td>
                  <td className="end nowrap">
                    <Time at={session.lastActivityAt} />
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Loaded>
    </Card>
  );
}
