import type { Hit } from '@commonplace/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { client } from '../../api/client.ts';
import { meQuery, workspaceQuery, workspacesQuery } from '../../api/queries.ts';
import { chunkExcerptOf, excerptOf } from '../../design/excerpt.ts';
import type { IconName } from '../../design/icon.tsx';
import { type RecentKind, readRecent } from '../recent-pages.ts';
import { doItems, goToItems, type PaletteGroup, type PaletteItem } from './commands.ts';
import { bestMatches, bestScore } from './matching.ts';
import { addressOfHit, searchAddress } from './open-hit.ts';

const TYPING_PAUSE_MS = 180;
const SHORTEST_QUERY = 3;
const MOST_HITS = 5;
/** Half a word is near to nothing in particular: what scores less is a guess. */
const LEAST_SCORE = 0.25;
const RECENT_SHOWN = 4;
/** Before anything is typed: the rest is found by its name. */
const PAGES_SHOWN = 6;
const LONGEST_LABEL = 200;

const recentIcons: Readonly<Record<RecentKind, IconName>> = {
  Session: 'sessions',
  Agent: 'agents',
  Prompt: 'prompts',
  Document: 'knowledge',
};
const hitIcons = { document: 'knowledge', memory: 'mark', message: 'sessions' } as const;
const hitNames = { document: 'Document', memory: 'Memory', message: 'Message' } as const;

/** The query once the typing has paused. */
function useSettled(query: string): string {
  const [settled, setSettled] = useState(query);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(query), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [query]);
  return settled;
}

function useHits(workspaceId: string | undefined, query: string): { readonly hits: readonly Hit[]; readonly isSearching: boolean } {
  const settled = useSettled(query.trim());
  const asks = workspaceId !== undefined && settled.length >= SHORTEST_QUERY;
  const { data, isFetching } = useQuery({
    queryKey: ['workspace', workspaceId, 'palette', settled],
    // The signal ends it as soon as something else is typed.
    queryFn: ({ signal }) =>
      client.workspaces.search(workspaceId ?? '', { query: settled, limit: MOST_HITS, minScore: LEAST_SCORE }, { signal }),
    enabled: asks,
    placeholderData: keepPreviousData,
  });
  const asked = asks && query.trim().length >= SHORTEST_QUERY;
  return { hits: asked ? (data ?? []) : [], isSearching: asked && isFetching };
}

/** On one line, from where the words of the query are. */
function hitItem(workspaceId: string, hit: Hit, query: string): PaletteItem {
  const id = hit.type === 'document' ? hit.chunkId : hit.id;
  const text = hit.type === 'document' ? `${hit.title}: ${chunkExcerptOf(hit.text, query)}` : excerptOf(hit.text, query);
  return {
    id: `hit-${id}`,
    label: text.replaceAll(/\s+/g, ' ').slice(0, LONGEST_LABEL).toWellFormed(),
    icon: hitIcons[hit.type],
    where: hitNames[hit.type],
    action: { href: addressOfHit(workspaceId, hit) },
  };
}

/** What is offered for what was typed, group by group. What is found by meaning comes last, so that nothing moves when it arrives. */
export function usePaletteGroups(workspaceId: string | undefined, query: string) {
  const { data: me } = useQuery(meQuery);
  const { data: workspace } = useQuery({ ...workspaceQuery(workspaceId ?? ''), enabled: workspaceId !== undefined });
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  const { hits, isSearching } = useHits(workspaceId, query);
  const typed = query.trim();
  const recent = readRecent(me?.owner?.id ?? '')
    .filter(({ path }) => path.startsWith(`/w/${workspaceId}/`))
    .map(({ path, label, kind }) => ({ id: `recent-${path}`, label, icon: recentIcons[kind], where: kind, action: { href: path } }));
  const others = workspaces
    .filter(({ id }) => id !== workspaceId)
    .map(({ id, name }) => ({
      id: `workspace-${id}`,
      label: name,
      icon: 'updown' as const,
      where: 'Workspace',
      action: { href: `/w/${id}` },
    }));
  const everything: PaletteItem[] =
    typed && workspaceId
      ? [
          {
            id: 'search',
            label: `Search everything for “${typed}”`,
            icon: 'search',
            keys: ['Tab'],
            action: { href: searchAddress(workspaceId, typed) },
          },
        ]
      : [];
  const pages = bestMatches(typed, goToItems(workspaceId, workspace?.role));
  const named: PaletteGroup[] = [
    { label: 'Recent', items: bestMatches(typed, recent).slice(0, RECENT_SHOWN) },
    { label: 'Go to', items: typed ? pages : pages.slice(0, PAGES_SHOWN) },
    { label: 'Do', items: bestMatches(typed, doItems(workspaceId, workspace?.role)) },
    { label: 'Workspaces', items: bestMatches(typed, others) },
  ];
  const groups: PaletteGroup[] = [
    ...(typed ? named.sort((a, b) => bestScore(typed, b.items) - bestScore(typed, a.items)) : named),
    { label: 'Search', items: everything },
    { label: 'Found by meaning', items: workspaceId ? hits.map((hit) => hitItem(workspaceId, hit, typed)) : [] },
  ];
  return { groups: groups.filter(({ items }) => items.length > 0), isSearching };
}
