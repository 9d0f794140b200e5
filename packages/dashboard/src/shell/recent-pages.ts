/** What was looked at last in this tab: sessions, prompts, documents and agents. Gone with the tab, and with signing out. */
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { meQuery } from '../api/queries.ts';
import { useCrumbs } from './crumbs.tsx';

export interface RecentPage {
  readonly path: string;
  readonly label: string;
  readonly kind: RecentKind;
}

export type RecentKind = 'Session' | 'Agent' | 'Prompt' | 'Document';

const MOST_KEPT = 12;
const UNKNOWN = '…';

const kinds: readonly (readonly [pattern: RegExp, kind: RecentKind])[] = [
  [/^\/w\/[^/]+\/agents\/[^/]+\/sessions\/[^/]+$/, 'Session'],
  [/^\/w\/[^/]+\/agents\/[^/]+$/, 'Agent'],
  [/^\/w\/[^/]+\/prompts\/[^/]+$/, 'Prompt'],
  [/^\/w\/[^/]+\/knowledge\/[^/]+$/, 'Document'],
];

export const kindOfPath = (path: string): RecentKind | undefined => kinds.find(([pattern]) => pattern.test(path))?.[1];

/** By account: after a sign-in that ended, another person may use the tab. */
const storedAs = (userId: string) => `commonplace:recent:${userId}`;

export function readRecent(userId: string): readonly RecentPage[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(storedAs(userId)) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isRecentPage) : [];
  } catch {
    return [];
  }
}

function isRecentPage(value: unknown): value is RecentPage {
  const page = value as Partial<RecentPage> | null;
  return typeof page?.path === 'string' && typeof page.label === 'string' && kindOfPath(page.path) === page.kind;
}

export function addRecent(before: readonly RecentPage[], page: RecentPage): readonly RecentPage[] {
  return [page, ...before.filter(({ path }) => path !== page.path)].slice(0, MOST_KEPT);
}

/** What is not there any more. */
export function forgetRecent(path: string): void {
  for (const name of Object.keys(sessionStorage).filter((key) => key.startsWith(storedAs('')))) {
    const userId = name.slice(storedAs('').length);
    sessionStorage.setItem(name, JSON.stringify(readRecent(userId).filter((page) => page.path !== path)));
  }
}

/** Notes each page that is about one thing, once its name is known. */
export function useRecentPages(): void {
  const { pathname } = useLocation();
  const { data: me } = useQuery(meQuery);
  const userId = me?.owner?.id;
  const label = useCrumbs().at(-1)?.label ?? UNKNOWN;
  useEffect(() => {
    const kind = kindOfPath(pathname);
    if (!userId || !kind || label === UNKNOWN) return;
    try {
      sessionStorage.setItem(storedAs(userId), JSON.stringify(addRecent(readRecent(userId), { path: pathname, label, kind })));
    } catch {
      // Storage may be forbidden; nothing is recent then.
    }
  }, [pathname, userId, label]);
}
