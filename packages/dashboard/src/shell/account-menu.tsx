import { Link } from '@tanstack/react-router';
import { Avatar } from '../design/avatar.tsx';
import { Menu, MenuItem, MenuLink, MenuSeparator } from '../design/menu.tsx';
import { signOut } from './sign-out.ts';

export function AccountMenu({ name, email }: { readonly name: string; readonly email: string }) {
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
