import { Outlet, useLocation, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { rememberWorkspace } from './last-workspace.ts';
import { useGoToShortcuts, useShortcuts } from './shortcuts.ts';
import { Sidebar } from './sidebar.tsx';
import { Topbar } from './topbar.tsx';

const Palette = lazy(() => import('./palette/palette.tsx').then(({ Palette: component }) => ({ default: component })));
const ShortcutHelp = lazy(() => import('./shortcut-help.tsx').then(({ ShortcutHelp: component }) => ({ default: component })));

/** Sidebar, top bar, and the page. */
export function Shell() {
  const { workspaceId } = useParams({ strict: false });
  const { pathname } = useLocation();
  const [navigationOpen, setNavigationOpen] = useState(false);
  const [overlay, setOverlay] = useState<'palette' | 'shortcuts'>();
  useEffect(() => {
    if (workspaceId) rememberWorkspace(workspaceId);
  }, [workspaceId]);
  useEffect(() => {
    if (pathname) setNavigationOpen(false);
  }, [pathname]);
  useGoToShortcuts(workspaceId);
  useShortcuts({ 'Mod+K': () => setOverlay('palette'), '?': () => setOverlay('shortcuts') });
  const close = () => setOverlay(undefined);
  return (
    <div className="app">
      <Sidebar workspaceId={workspaceId} open={navigationOpen} onClose={() => setNavigationOpen(false)} />
      <div className="body">
        <Topbar
          workspaceId={workspaceId}
          navigationOpen={navigationOpen}
          onOpenNavigation={() => setNavigationOpen(true)}
          onOpenPalette={() => setOverlay('palette')}
        />
        <Outlet />
      </div>
      <Suspense>
        {overlay === 'palette' && <Palette workspaceId={workspaceId} onClose={close} />}
        {overlay === 'shortcuts' && <ShortcutHelp onClose={close} />}
      </Suspense>
    </div>
  );
}
