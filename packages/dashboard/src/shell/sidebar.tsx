import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { roleCan } from '../api/permissions.ts';
import { meQuery, statsQuery, workspaceQuery } from '../api/queries.ts';
import { BrandMark } from '../design/brand.tsx';
import { Icon } from '../design/icon.tsx';
import { formatCount } from '../design/numbers.ts';
import { ThemeButton } from '../design/theme.tsx';
import { AccountMenu } from './account-menu.tsx';
import { mainPages, managePages } from './navigation.ts';
import { WorkspaceSwitcher } from './workspace-switcher.tsx';

interface SidebarProps {
  readonly workspaceId: string | undefined;
  /** As a sheet, on small screens. */
  readonly open: boolean;
  readonly onClose: () => void;
}

export function Sidebar({ workspaceId, open, onClose }: SidebarProps) {
  const sidebar = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!open) return;
    sidebar.current?.querySelector('a')?.focus();
    const press = (event: PointerEvent) => {
      if (!sidebar.current?.contains(event.target as Node)) onClose();
    };
    document.addEventListener('pointerdown', press);
    return () => document.removeEventListener('pointerdown', press);
  }, [open, onClose]);
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose();
  };
  const { data: me } = useQuery(meQuery);
  return (
    <aside ref={sidebar} className="sidebar" id="sidebar" aria-label="Workspace" data-open={open || undefined} onKeyDown={closeOnEscape}>
      <div className="sidebar-head">
        <Link to="/" className="brand">
          <BrandMark />
          Commonplace
        </Link>
      </div>
      <WorkspaceSwitcher workspaceId={workspaceId} />
      {workspaceId ? <Pages workspaceId={workspaceId} /> : <div className="sidebar-scroll" />}
      <div className="sidebar-foot">
        <AccountMenu name={me?.owner?.name ?? ''} email={me?.owner?.email ?? ''} />
        <ThemeButton />
      </div>
    </aside>
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
