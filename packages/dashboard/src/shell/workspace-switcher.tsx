import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { workspacesQuery } from '../api/queries.ts';
import { Avatar } from '../design/avatar.tsx';
import { Icon } from '../design/icon.tsx';
import { Menu, MenuItem, MenuLink, MenuSeparator } from '../design/menu.tsx';
import { NewWorkspaceDialog } from './new-workspace-dialog.tsx';

export const roleNames = { owner: 'Owner', admin: 'Admin', readonly: 'Read only' } as const;

export function WorkspaceSwitcher({ workspaceId }: { readonly workspaceId: string | undefined }) {
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  const [creating, setCreating] = useState(false);
  const navigate = useNavigate();
  const current = workspaces.find(({ id }) => id === workspaceId);
  const trigger = (
    <button type="button" className="switcher">
      <Avatar square name={current?.name ?? 'Workspace'} />
      <span className="grow truncate">
        <span className="switcher-name truncate">{current?.name ?? 'Choose a workspace'}</span>
        <span className="switcher-role">{current ? roleNames[current.role] : '\u00a0'}</span>
      </span>
      <Icon name="updown" />
    </button>
  );
  return (
    <>
      <Menu trigger={trigger} align="start">
        {workspaces.map((workspace) => (
          <MenuLink
            key={workspace.id}
            {...(workspace.id === workspaceId && { icon: 'check' as const })}
            render={<Link to="/w/$workspaceId" params={{ workspaceId: workspace.id }} />}
          >
            <span className="truncate">{workspace.name}</span>
          </MenuLink>
        ))}
        <MenuSeparator />
        <MenuItem icon="plus" onSelect={() => setCreating(true)}>
          New workspace
        </MenuItem>
      </Menu>
      {creating && (
        <NewWorkspaceDialog
          onClose={() => setCreating(false)}
          onCreated={({ id }) => void navigate({ to: '/w/$workspaceId/start', params: { workspaceId: id } })}
        />
      )}
    </>
  );
}
