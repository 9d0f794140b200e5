import { Outlet, useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { rememberWorkspace } from './last-workspace.ts';
import { NewWorkspaceDialog } from './new-workspace-dialog.tsx';
import { collectTyping, takeTyping } from './palette/early-typing.ts';
import type { PaletteOverlay } from './palette/palette.tsx';
import { useRecentPages } from './recent-pages.ts';
import { dialogIsOpen, useGoToShortcuts, useShortcuts } from './shortcuts.ts';
import { Sidebar } from './sidebar.tsx';
import { Topbar } from './topbar.tsx';

const loadPalette = () =>
  import('./palette/palette.tsx').catch((error: unknown) => {
    takeTyping();
    throw error;
  });
const Palette = lazy(() => loadPalette().then(({ Palette: component }) => ({ default: component })));
const ShortcutHelp = lazy(() => import('./shortcut-help.tsx').then(({ ShortcutHelp: component }) => ({ default: component })));

/** Sidebar, top bar, and the page. */
export function Shell() {
  const { workspaceId } = useParams({ strict: false });
  const { pathname } = useLocation();
  const [navigationOpen, setNavigationOpen] = useState(false);
  const navigate = useNavigate();
  const [overlay, setOverlay] = useState<'palette' | PaletteOverlay>();
  // While nothing else is to do, so that it opens at once when it is asked for.
  useEffect(() => whenIdle(() => void loadPalette()), []);
  useRecentPages();
  useEffect(() => {
    if (workspaceId) rememberWorkspace(workspaceId);
  }, [workspaceId]);
  useEffect(() => {
    if (pathname) setNavigationOpen(false);
  }, [pathname]);
  useGoToShortcuts(workspaceId);
  const close = () => setOverlay(undefined);
  const openPalette = () => {
    collectTyping();
    setOverlay('palette');
  };
  useEffect(() => {
    // Also where it could not be loaded.
    if (overlay !== 'palette') takeTyping();
  }, [overlay]);
  const togglePalette = () => {
    if (overlay === 'palette') close();
    // Not over something that waits for an answer.
    else if (!dialogIsOpen()) openPalette();
  };
  useShortcuts({ 'Mod+K': togglePalette, '?': () => setOverlay('shortcuts') });
  return (
    <div className="app">
      <Sidebar workspaceId={workspaceId} open={navigationOpen} onClose={() => setNavigationOpen(false)} />
      <div className="body">
        <Topbar
          workspaceId={workspaceId}
          navigationOpen={navigationOpen}
          onOpenNavigation={() => setNavigationOpen(true)}
          onOpenPalette={openPalette}
        />
        <Outlet />
      </div>
      <Suspense>
        {overlay === 'palette' && <Palette workspaceId={workspaceId} onClose={close} onOpen={setOverlay} />}
        {overlay === 'shortcuts' && <ShortcutHelp onClose={close} />}
        {overlay === 'new-workspace' && (
          <NewWorkspaceDialog
            onClose={close}
            onCreated={({ id }) => void navigate({ to: '/w/$workspaceId/start', params: { workspaceId: id } })}
          />
        )}
      </Suspense>
    </div>
  );
}

/** Not every browser can tell when it is idle; a moment after the first paint it mostly is. */
function whenIdle(run: () => void): () => void {
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(run, 1_000);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(run);
  return () => cancelIdleCallback(handle);
}
