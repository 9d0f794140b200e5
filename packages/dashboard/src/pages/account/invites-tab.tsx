import { queryOptions, useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { Empty, Loaded } from '../../design/feedback.tsx';
import { Card, Table } from '../../design/page.tsx';
import { Time } from '../../design/time.tsx';
import { roleNames } from '../../shell/workspace-switcher.tsx';

export const ownInvitesQuery = queryOptions({
  queryKey: ['own-invites'],
  queryFn: ({ signal }) => client.me.invites.list({ limit: 100 }, { signal }),
});

/** What waits for an answer. Answering takes the link: an address alone proves nothing. */
export function InvitesTab() {
  const invites = useQuery(ownInvitesQuery);
  return (
    <Loaded query={invites} skeletonLines={2}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty icon="members" title="No invites wait for you">
            When somebody invites your e-mail address to a workspace, you see it here.
          </Empty>
        ) : (
          <Card title="Invites to you" lede="To accept or decline one, open the link that you were given with it." flush>
            <Table label="Invites to you" columns={['Workspace', 'Role', { name: 'Expires', end: true }]}>
              {data.map((invite) => (
                <tr key={invite.id}>
                  <td className="title" dir="auto">
                    {invite.workspaceName}
                  </td>
                  <td>{roleNames[invite.role]}</td>
                  <td className="end nowrap">
                    <span className="phone-only">Expires </span>
                    <Time at={invite.expiresAt} />
                  </td>
                </tr>
              ))}
            </Table>
          </Card>
        )
      }
    </Loaded>
  );
}
