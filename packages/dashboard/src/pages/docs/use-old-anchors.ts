import { getRouteApi } from '@tanstack/react-router';
import { useEffect } from 'react';
import { readOldAnchor } from './old-anchors.ts';

const route = getRouteApi('/docs');

/** Takes those who come by an old link to where it leads now. */
export function useOldAnchors(): void {
  const navigate = route.useNavigate();
  useEffect(() => {
    const follow = () => {
      const search = readOldAnchor(window.location.hash.slice(1));
      if (search) void navigate({ search, hash: '', replace: true });
    };
    follow();
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, [navigate]);
}
