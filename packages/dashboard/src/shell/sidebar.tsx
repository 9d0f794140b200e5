import { Dialog } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { roleCan } from '../api/permissions.ts';
import { meQuery, statsQuery, workspaceQuery } from '../api/queries.ts';
import { BrandMark } from '../design/brand.tsx';
import { IconButton } from '../design/button.tsx';
import { Icon } from '../design/icon.tsx';
import { formatCount } from '../design/numbers.ts';
import { ThemeButton } from '../design/theme.tsx';
import { AccountMenu } from './account-menu.tsx';
import { mainPages, managePages } from './navigation.ts';
import { SHEET_BELOW, useMedia } from './use-media.ts';
import { WorkspaceSwitcher } from './workspace-switcher.tsx';

interface SidebarProps {
  readonly workspaceId: string | undefined;
  /** As a sheet, on small screens. */
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Beside the page; on a small screen a sheet over it, which keeps the focus until it is closed. */
export function Sidebar({ workspaceId, open, onClose }: SidebarProps) {
  const isSheet = useMedia(SHEET_BELOW);
  if (!isSheet)
    return (
      <aside className="sidebar" id="sidebar" aria-label="Workspace">
        <SidebarContent workspaceId={workspaceId} />
      </aside>
    );
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="sidebar" id="sidebar" aria-label="Workspace">
          <SidebarContent workspaceId={workspaceId} close={<Dialog.Close render={<IconButton icon="x" label="Close navigation" />} />} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function SidebarContent({ workspaceId, close }: { readonly workspaceId: string | undefined; readonly close?: ReactNode }) {
  const { data: me } = useQuery(meQuery);
  return (
    <>
      <div className="sidebar-head">
        <Link to="/" className="brand grow">
          <BrandMark />
          Commonplace
        </Link>
        {close}
      </div>
      <WorkspaceSwitcher workspaceId={workspaceId} />
      {workspaceId ? <Pages workspaceId={workspaceId} /> : <div className="sidebar-scroll" />}
      <div className="sidebar-foot">
        <AccountMenu name={me?.owner?.name ?? ''} email={me?.owner?.email ?? ''} />
        <ThemeButton />
      </div>
    </>
  );
}

function Pages({ workspaceId }: { readonly workspaceId: string }) {
  const { data: stats } = useQuery(statsQuery(workspaceId));
  const { data: workspace } = useQuery(workspaceQuery(workspaceId));
  const counts: Readonly<Record<string, number | undefined>> = {
    Agents: stats?.agents,
    Sessions: stats?.sessions,
    Prompts: stats?.prompts,
    Knowledge: stats?.documents,
    Members: workspace?.membersCount,
  };
  const allowed = managePages.filter((page) => !('permission' in page) || (workspace && roleCan(workspace.role, page.permission)));
  const item = ({ to, label, icon }: (typeof mainPages)[number] | (typeof managePages)[number]) => (
    <li key={to}>
      <Link
        to={to}
        params={{ workspaceId }}
        className="nav-item"
        activeOptions={{ exact: to === '/w/$workspaceId', includeSearch: false }}
        activeProps={{ 'aria-current': 'page' }}
      >
        <Icon name={icon} />
        {label}
        {counts[label] !== undefined && <span className="nav-count">{formatCount(counts[label])}</span>}
      </Link>
    </li>
  );
  return (
    <nav className="sidebar-scroll" aria-label="Main">
      <ul>{mainPages.map(item)}</ul>
      <div className="nav-label" id="nav-manage">
        Manage
      </div>
      <ul aria-labelledby="nav-manage">{allowed.map(item)}</ul>
    </nav>
  );
}
