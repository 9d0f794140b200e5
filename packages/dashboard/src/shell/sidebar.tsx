import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { roleCan } from '../api/permissions.ts';
import { meQuery, statsQuery, workspaceQuery } from '../api/queries.ts';
import { Icon } from '../design/icon.tsx';
import { formatCount } from '../design/numbers.ts';
import { ThemeButton } from '../design/theme.tsx';
import { AccountMenu } from './account-menu.tsx';
import { mainPages, managePages } from './navigation.ts';
import { SidebarFrame } from './sidebar-frame.tsx';
import { WorkspaceSwitcher } from './workspace-switcher.tsx';

interface SidebarProps {
  readonly workspaceId: string | undefined;
  /** As a sheet, on small screens. */
  readonly open: boolean;
  readonly onClose: () => void;
}

export function Sidebar({ workspaceId, open, onClose }: SidebarProps) {
  const { data: me } = useQuery(meQuery);
  return (
    <SidebarFrame label="Workspace" open={open} onClose={onClose}>
      <WorkspaceSwitcher workspaceId={workspaceId} />
      {workspaceId ? <Pages workspaceId={workspaceId} /> : <div className="sidebar-scroll" />}
      <div className="sidebar-foot">
        <AccountMenu name={me?.owner?.name ?? ''} email={me?.owner?.email ?? ''} />
        <ThemeButton />
      </div>
    </SidebarFrame>
  );
}

/** Which of the pages an address below the workspace belongs to: a session is below its agent, and among the sessions. */
function pageOf(path: string): string {
  const [, first = '', , second] = path.split('/');
  const page = second === 'sessions' ? second : first;
  return page ? `/w/$workspaceId/${page}` : '/w/$workspaceId';
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
  const current = pageOf(useLocation().pathname.slice(`/w/${workspaceId}`.length));
  const item = ({ to, label, icon }: (typeof mainPages)[number] | (typeof managePages)[number]) => (
    <li key={to}>
      <Link
        to={to}
        params={{ workspaceId }}
        className="nav-item"
        activeOptions={{ exact: true, includeSearch: false }}
        aria-current={to === current ? 'page' : undefined}
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
