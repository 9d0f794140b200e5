/** Where a page is: from its address, and from what it has loaded of what it shows. */
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';

export interface Crumb {
  readonly path: string;
  readonly label: string;
}

const names: Readonly<Record<string, string>> = {
  start: 'Get started',
  agents: 'Agents',
  sessions: 'Sessions',
  prompts: 'Prompts',
  knowledge: 'Knowledge',
  context: 'Context',
  search: 'Search',
  work: 'Background work',
  members: 'Members',
  keys: 'Access keys',
  audit: 'Audit log',
  settings: 'Settings',
  account: 'Your account',
};

interface Named {
  readonly name?: string;
  readonly title?: string;
  readonly externalId?: string;
}

/** The names of things by their id, as pages tell them. */
const titles = new Map<string, string>();
const listeners = new Set<() => void>();

/** A page that knows what an id of its address stands for says so. */
export function nameCrumb(id: string, thing: Named): void {
  const label = thing.name || thing.title || thing.externalId || id;
  if (titles.get(id) === label) return;
  titles.set(id, label);
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function useCrumbs(): readonly Crumb[] {
  const { pathname } = useLocation();
  const queryClient = useQueryClient();
  useSyncExternalStore(subscribe, () => titles.size + [...titles.values()].join('').length);
  const parts = pathname.split('/').filter(Boolean);
  const base = parts[0] === 'w' ? 2 : 0;
  const workspaceId = base === 2 ? parts[1] : undefined;
  const crumbs = parts.slice(base).map((part, at) => {
    const path = `/${parts.slice(0, base + at + 1).join('/')}`;
    const agent = queryClient.getQueryData<Named>(['workspace', workspaceId, 'agents', part]);
    return { path, label: names[part] ?? titles.get(part) ?? agent?.name ?? '…' };
  });
  if (crumbs.length === 0) return [{ path: pathname, label: 'Overview' }];
  // Sessions of an agent are listed on a page that is not below the agent.
  return crumbs.map((crumb) =>
    crumb.path.endsWith('/sessions') && parts[base] === 'agents'
      ? { ...crumb, path: `/w/${workspaceId}/sessions?agent=${parts[base + 1]}` }
      : crumb,
  );
}
