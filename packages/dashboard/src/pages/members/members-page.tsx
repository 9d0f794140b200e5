import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCan } from '../../api/permissions.ts';
import { workspaceQuery } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { Page } from '../../design/page.tsx';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { InviteDialog } from './invite-dialog.tsx';
import { InvitesCard } from './invites-card.tsx';
import { MembersCard } from './members-card.tsx';
import './members.css';

const route = getRouteApi('/signed-in/w/$workspaceId/members');

export function MembersPage() {
  const { workspaceId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data: workspace } = useQuery(workspaceQuery(workspaceId));
  const mayInvite = useCan('CAN_INVITE_MEMBER');
  const mayList = useCan('CAN_LIST_WORKSPACE_INVITES');
  const open = () => void navigate({ search: (old) => ({ ...old, invite: true }) });
  const openByKey = () => {
    if (mayInvite) open();
  };
  useShortcuts({ C: openByKey });
  return (
    <Page
      title="Members"
      lede="Who works in this workspace, and what their role lets them do."
      actions={
        mayInvite && (
          <Button variant="primary" icon="plus" onClick={open}>
            Invite member
          </Button>
        )
      }
    >
      <div className="stack">
        <MembersCard
          workspaceId={workspaceId}
          ownRole={workspace?.role ?? 'readonly'}
          offset={search.offset ?? 0}
          onMove={(offset) => void navigate({ search: ({ offset: _, ...old }) => ({ ...old, ...(offset > 0 && { offset }) }) })}
        />
        {mayList && (
          <InvitesCard
            workspaceId={workspaceId}
            offset={search.invites ?? 0}
            onMove={(invites) => void navigate({ search: ({ invites: _, ...old }) => ({ ...old, ...(invites > 0 && { invites }) }) })}
          />
        )}
      </div>
      {search.invite && workspace && mayInvite && (
        <InviteDialog
          workspaceId={workspaceId}
          ownRole={workspace.role}
          onClose={() => void navigate({ search: ({ invite: _, ...old }) => old })}
        />
      )}
    </Page>
  );
}
