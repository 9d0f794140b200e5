import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { client } from '../api/client.ts';
import { sendPendingDeletes } from '../api/undoable.ts';
import { Avatar } from '../design/avatar.tsx';
import { Menu, MenuItem, MenuLink, MenuSeparator } from '../design/menu.tsx';
import { showToast } from '../design/toast.tsx';

export function AccountMenu({ name, email }: { readonly name: string; readonly email: string }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const signOut = async () => {
    sendPendingDeletes();
    try {
      await client.auth.logOut();
      queryClient.clear();
      sessionStorage.clear();
      await navigate({ to: '/sign-in' });
    } catch (error) {
      showToast('You are still signed in', { note: error instanceof Error ? error.message : String(error), danger: true });
    }
  };
  const trigger = (
    <button type="button" className="account-button grow" title={email}>
      <Avatar name={name} />
      <span className="truncate">{name}</span>
    </button>
  );
  return (
    <Menu trigger={trigger} align="start">
      <MenuLink icon="settings" render={<Link to="/account" />}>
        Your account
      </MenuLink>
      <MenuLink icon="docs" render={<Link to="/docs" />}>
        API reference
      </MenuLink>
      <MenuSeparator />
      <MenuItem icon="arrow" onSelect={() => void signOut()}>
        Sign out
      </MenuItem>
    </Menu>
  );
}
