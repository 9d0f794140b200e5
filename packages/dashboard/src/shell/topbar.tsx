import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { workspaceQuery } from '../api/queries.ts';
import { buttonClass, IconButton } from '../design/button.tsx';
import { Icon } from '../design/icon.tsx';
import { useCrumbs } from './crumbs.tsx';
import { isApple } from './shortcuts.ts';

interface TopbarProps {
  readonly workspaceId: string | undefined;
  readonly navigationOpen: boolean;
  readonly onOpenNavigation: () => void;
  readonly onOpenPalette: () => void;
}

export function Topbar({ workspaceId, navigationOpen, onOpenNavigation, onOpenPalette }: TopbarProps) {
  return (
    <header className="topbar">
      <IconButton
        icon="menu"
        label="Open navigation"
        className="menu-button"
        aria-controls="sidebar"
        aria-expanded={navigationOpen}
        onClick={onOpenNavigation}
      />
      <Crumbs workspaceId={workspaceId} />
      <button type="button" className="palette-button" title="Search or run a command" onClick={onOpenPalette}>
        <Icon name="search" />
        <span className="text">Search or run a command</span>
        <span className="kbd" aria-hidden="true">
          {isApple ? '⌘ K' : 'Ctrl K'}
        </span>
      </button>
      <Link to="/docs" className={`${buttonClass({ variant: 'ghost' })} reference-link hide-phone`} title="API reference">
        <Icon name="docs" />
        <span className="text">API reference</span>
      </Link>
    </header>
  );
}

function Crumbs({ workspaceId }: { readonly workspaceId: string | undefined }) {
  const { data: workspace } = useQuery({ ...workspaceQuery(workspaceId ?? ''), enabled: workspaceId !== undefined });
  const crumbs = useCrumbs();
  const last = crumbs.at(-1);
  return (
    <nav className="crumbs" aria-label="Breadcrumb">
      <ol>
        {workspaceId && workspace && (
          <li>
            <Link to="/w/$workspaceId" params={{ workspaceId }}>
              {workspace.name}
            </Link>
          </li>
        )}
        {crumbs.map((crumb) => (
          <li key={crumb.path}>
            {crumb === last ? <span aria-current="page">{crumb.label}</span> : <Link to={crumb.path}>{crumb.label}</Link>}
          </li>
        ))}
      </ol>
    </nav>
  );
}
