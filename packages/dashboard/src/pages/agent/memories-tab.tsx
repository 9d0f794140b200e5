import type { Agent } from '@commonplace/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef } from 'react';
import { client } from '../../api/client.ts';
import { Button } from '../../design/button.tsx';
import { Empty, Loaded } from '../../design/feedback.tsx';
import { Pager } from '../../design/page.tsx';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { QueryField, WhoField } from './memory-filters.tsx';
import { MemoryList } from './memory-list.tsx';
import { readLabel } from './read-label.ts';

const route = getRouteApi('/signed-in/w/$workspaceId/agents/$agentId');
const PAGE = 30;

/** What is remembered in all sessions of the agent, or in those of one person. */
export function MemoriesTab({ agent }: { readonly agent: Agent }) {
  const { label, q, offset = 0 } = route.useSearch();
  const navigate = route.useNavigate();
  const field = useRef<HTMLInputElement>(null);
  const subject = agent.configs.memorySubject;
  const labels = readLabel(label);
  const memories = client.workspace(agent.workspaceId).memories;
  const found = useQuery({
    queryKey: ['workspace', agent.workspaceId, 'agents', agent.id, 'memories', { label, q, offset }],
    queryFn: async ({ signal }) => {
      if (q) {
        const hits = await memories.searchAgent(agent.id, { query: q, limit: 50, explain: true, ...(labels && { labels }) }, { signal });
        return { items: hits.map(({ text, ...hit }) => ({ ...hit, content: text })), total: hits.length };
      }
      const { data, meta } = await memories.listAgent(agent.id, { offset, limit: PAGE, ...(labels && { labels }) }, { signal });
      return { items: data, total: meta.total };
    },
    placeholderData: keepPreviousData,
  });
  const focusSearch = () => field.current?.focus();
  useShortcuts({ '/': focusSearch });
  const look = (next: { label?: string | undefined; q?: string | undefined }) =>
    void navigate({
      search: { tab: 'memories', ...(next.label && { label: next.label }), ...(next.q && { q: next.q }) },
      replace: true,
    });
  return (
    <div className="stack">
      <search className="memory-filters">
        <WhoField subject={subject} label={label} onChange={(next) => look({ label: next, q })} />
        <QueryField query={q ?? ''} field={field} onChange={(next) => look({ label, q: next })} />
      </search>
      <section className="card" aria-label="Memories" aria-busy={found.isPlaceholderData}>
        <Loaded query={found} skeletonLines={5}>
          {({ items, total }) =>
            total === 0 ? (
              <Empty
                icon="mark"
                title={label || q ? 'Nothing found' : 'Nothing remembered yet'}
                action={(label || q) && <Button onClick={() => look({})}>Clear filters</Button>}
              >
                {label || q
                  ? `No memory${label ? ` of sessions with ${label}` : ''}${q ? ` about “${q}”` : ''}.`
                  : 'Memories are drawn from messages while remembering is on, or written by your program.'}
              </Empty>
            ) : (
              <>
                <MemoryList workspaceId={agent.workspaceId} agentId={agent.id} memories={items} query={q ?? ''} />
                {!q && (
                  <Pager
                    offset={offset}
                    limit={PAGE}
                    total={total}
                    onMove={(to) => void navigate({ search: ({ offset: _, ...old }) => ({ ...old, ...(to > 0 && { offset: to }) }) })}
                  />
                )}
              </>
            )
          }
        </Loaded>
      </section>
    </div>
  );
}
