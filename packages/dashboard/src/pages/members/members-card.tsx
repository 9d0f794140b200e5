import type { Member } from '@commonplace/client';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { client } from '../../api/client.ts';
import type { Role } from '../../api/permissions.ts';
import { meQuery, workspaceQuery, workspacesQuery } from '../../api/queries.ts';
import { ConfirmDialog } from '../../design/dialog.tsx';
import { ErrorNotice } from '../../design/error-notice.tsx';
import { Loaded } from '../../design/feedback.tsx';
import { Card, Pager, Table } from '../../design/page.tsx';
import { showToast } from '../../design/toast.tsx';
import { useListKeys } from '../../shell/list-keys.ts';
import { roleNames } from '../../shell/workspace-switcher.tsx';
import { MemberRow } from './member-row.tsx';

interface MembersCardProps {
  readonly workspaceId: string;
  readonly ownRole: Role;
  readonly offset: number;
  readonly onMove: (offset: number) => void;
}

const PAGE = 50;

export function MembersCard({ workspaceId, ownRole, offset, onMove }: MembersCardProps) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const around = useRef<HTMLDivElement>(null);
  const [removing, setRemoving] = useState<Member>();
  const { data: me } = useQuery(meQuery);
  const resource = client.workspace(workspaceId).members;
  const members = useQuery({
    queryKey: ['workspace', workspaceId, 'members', { offset }],
    queryFn: ({ signal }) => resource.list({ offset, limit: PAGE }, { signal }),
    placeholderData: keepPreviousData,
  });
  useListKeys(around);
  const isMe = (member: Member) => member.userId === me?.owner?.id;
  const changed = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId, 'members'] }),
      queryClient.invalidateQueries({ queryKey: workspaceQuery(workspaceId).queryKey, exact: true }),
      queryClient.invalidateQueries({ queryKey: workspacesQuery.queryKey }),
    ]);
  const changeRole = useMutation({
    mutationFn: ({ member, role }: { member: Member; role: Role }) => resource.update(member.userId, { role }),
    onSuccess: async (member) => {
      await changed();
      showToast(isMe(member) ? `You are now ${roleNames[member.role].toLowerCase()}` : `${member.name}: ${roleNames[member.role]}`);
    },
  });
  const remove = async (member: Member) => {
    await resource.delete(member.userId);
    if (!isMe(member)) {
      await changed();
      showToast(`${member.name} is no longer a member`);
      return;
    }
    await queryClient.invalidateQueries({ queryKey: workspacesQuery.queryKey });
    await navigate({ to: '/' });
    queryClient.removeQueries({ queryKey: ['workspace', workspaceId] });
    showToast('You left the workspace');
  };
  return (
    <div ref={around} className="stack">
      {changeRole.error && <ErrorNotice error={changeRole.error} />}
      <Card title="Members" flush>
        <Loaded query={members} skeletonLines={4}>
          {({ data, meta }) => (
            <>
              <Table label="Members" columns={['Name', 'E-mail', 'Role', 'Joined', '']}>
                {data.map((member) => (
                  <MemberRow
                    key={member.id}
                    member={member}
                    isMe={isMe(member)}
                    ownRole={ownRole}
                    changing={changeRole.isPending && changeRole.variables.member.id === member.id}
                    onChangeRole={(role) => changeRole.mutate({ member, role })}
                    onRemove={() => setRemoving(member)}
                  />
                ))}
              </Table>
              <Pager offset={offset} limit={PAGE} total={meta.total} onMove={onMove} />
            </>
          )}
        </Loaded>
      </Card>
      {removing && (
        <ConfirmDialog
          open
          onClose={() => setRemoving(undefined)}
          title={isMe(removing) ? 'Leave this workspace?' : `Remove ${removing.name}?`}
          action={isMe(removing) ? 'Leave workspace' : 'Remove member'}
          busyLabel={isMe(removing) ? 'Leaving' : 'Removing'}
          onConfirm={() => remove(removing)}
        >
          {isMe(removing)
            ? 'You no longer see it or anything in it, and need a new invite to come back. Access keys that you made keep working.'
            : `${removing.email} no longer sees this workspace or anything in it. Access keys that they made keep working.`}
        </ConfirmDialog>
      )}
    </div>
  );
}
