import type { Invite } from '@commonplace/client';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { useCan } from '../../api/permissions.ts';
import { LIVE_MS, membersQuery } from '../../api/queries.ts';
import { Badge, type Tone } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { ConfirmDialog } from '../../design/dialog.tsx';
import { Loaded } from '../../design/feedback.tsx';
import { Card, Pager, Table } from '../../design/page.tsx';
import { Time } from '../../design/time.tsx';
import { showToast } from '../../design/toast.tsx';
import { roleNames } from '../../shell/workspace-switcher.tsx';

const PAGE = 20;

const statuses: Readonly<Record<Invite['status'], readonly [label: string, tone: Tone]>> = {
  pending: ['Pending', 'warn'],
  accepted: ['Accepted', 'ok'],
  rejected: ['Declined', 'danger'],
  expired: ['Expired', 'outline'],
};

interface InvitesCardProps {
  readonly workspaceId: string;
  readonly offset: number;
  readonly onMove: (offset: number) => void;
}

export function InvitesCard({ workspaceId, offset, onMove }: InvitesCardProps) {
  const queryClient = useQueryClient();
  const [withdrawing, setWithdrawing] = useState<Invite>();
  const mayWithdraw = useCan('CAN_REMOVE_INVITE');
  const { data: members = [] } = useQuery(membersQuery(workspaceId));
  const resource = client.workspace(workspaceId).invites;
  const invites = useQuery({
    queryKey: ['workspace', workspaceId, 'invites', { offset }],
    queryFn: ({ signal }) => resource.list({ offset, limit: PAGE }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: LIVE_MS,
  });
  const withdraw = async (invite: Invite) => {
    await resource.delete(invite.id);
    await queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId, 'invites'] });
    showToast(`The invite for ${invite.email} is withdrawn`);
  };
  return (
    <Card title="Invites" flush>
      <Loaded query={invites} skeletonLines={2}>
        {({ data, meta }) =>
          meta.total === 0 ? (
            <p className="card-body muted">No invites. Those that you make are listed here, with what came of them.</p>
          ) : (
            <>
              <Table label="Invites" columns={['E-mail', 'Role', 'Status', 'Invited by', 'Expires', '']}>
                {data.map((invite) => (
                  <tr key={invite.id}>
                    <td className="title member-email">{invite.email}</td>
                    <td>{roleNames[invite.role]}</td>
                    <td>
                      <Badge tone={statuses[invite.status][1]}>{statuses[invite.status][0]}</Badge>
                    </td>
                    <td className="hide-phone" dir="auto">
                      {members.find(({ userId }) => userId === invite.invitedBy)?.name ?? 'Somebody who left'}
                    </td>
                    <td className="nowrap">{invite.status === 'pending' && <Time at={invite.expiresAt} />}</td>
                    <td className="end">
                      {mayWithdraw && invite.status === 'pending' && (
                        <Button
                          small
                          variant="ghost"
                          aria-label={`Withdraw invite for ${invite.email}`}
                          onClick={() => setWithdrawing(invite)}
                        >
                          Withdraw invite
                        </Button>
                      )}
                    </td>
                  </tr>
                ))}
              </Table>
              <Pager offset={offset} limit={PAGE} total={meta.total} onMove={onMove} />
            </>
          )
        }
      </Loaded>
      {withdrawing && (
        <ConfirmDialog
          open
          onClose={() => setWithdrawing(undefined)}
          title={`Withdraw the invite for ${withdrawing.email}?`}
          action="Withdraw invite"
          busyLabel="Withdrawing"
          onConfirm={() => withdraw(withdrawing)}
        >
          The link stops working at once. You can invite them again.
        </ConfirmDialog>
      )}
    </Card>
  );
}
