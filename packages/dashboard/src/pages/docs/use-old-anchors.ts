import { getRouteApi } from '@tanstack/react-router';
import { useEffect } from 'react';

const route = getRouteApi('/docs');

/** `/docs#createAgent` and `/docs#tag/Agents`, as links from before have it. */
export function readOldAnchor(hash: string): { readonly operation: string } | { readonly tag: string } | undefined {
  try {
    const [, tag, operation] = /^(?:tag\/(.+)|(\w+))$/.exec(decodeURIComponent(hash)) ?? [];
    if (tag) return { tag };
    return operation && operation !== 'main' ? { operation } : undefined;
  } catch {
    return undefined;
  }
}

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
