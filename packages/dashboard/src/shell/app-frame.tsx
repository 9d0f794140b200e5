import { Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useConnectionLost } from '../api/connection.ts';
import { Icon } from '../design/icon.tsx';
import { paletteHasFocus } from './shortcuts.ts';

/** Around every page: the way past the navigation, and a word when the service does not answer. */
export function AppFrame() {
  // Of the page that is shown, not of one that is still on its way.
  const pathname = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const before = useRef<string>(undefined);
  // A new page takes the focus, as a page that is loaded would; what was pressed is gone with the old one.
  useEffect(() => {
    if (pathname && before.current && !paletteHasFocus()) document.getElementById('main')?.focus({ preventScroll: true });
    before.current = pathname;
  }, [pathname]);
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <ConnectionBar />
      <Outlet />
    </>
  );
}

function ConnectionBar() {
  const lost = useConnectionLost();
  return (
    <div role="status">
      {lost && (
        <div className="offline">
          <Icon name="alert" />
          <span>The service does not answer. What you see may be old; this page tries again by itself.</span>
        </div>
      )}
    </div>
  );
}
