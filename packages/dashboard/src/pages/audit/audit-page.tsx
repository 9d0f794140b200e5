import type { Audit } from '@commonplace/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef } from 'react';
import { client } from '../../api/client.ts';
import { Button } from '../../design/button.tsx';
import { CursorPager } from '../../design/cursor-pager.tsx';
import { Empty, Loaded } from '../../design/feedback.tsx';
import { Page } from '../../design/page.tsx';
import { useListKeys } from '../../shell/list-keys.ts';
import { type AuditFilter, AuditFilters } from './audit-filters.tsx';
import { AuditTable } from './audit-table.tsx';
import { endOfDay, startOfDay } from './days.ts';
import { useResourceNames } from './resource-names.ts';

const route = getRouteApi('/signed-in/w/$workspaceId/audit');
const PAGE = 50;
const none: readonly Audit[] = [];

export function AuditPage() {
  const { workspaceId } = route.useParams();
  const { cursor, entry, ...filter } = route.useSearch();
  const navigate = route.useNavigate();
  const around = useRef<HTMLElement>(null);
  const audits = useQuery({
    queryKey: ['workspace', workspaceId, 'audits', filter, cursor],
    queryFn: ({ signal }) => client.workspace(workspaceId).audits.list(askedFor(filter, cursor), { signal }),
    placeholderData: keepPreviousData,
  });
  const names = useResourceNames(workspaceId, audits.data?.data ?? none);
  useListKeys(around);
  const filtered = Object.keys(filter).length > 0;
  const change = (next: AuditFilter) => void navigate({ search: next, replace: true });
  return (
    <Page
      title="Audit log"
      lede="Every change to this workspace, its people, keys, agents, prompts and documents: who made it, and from where."
    >
      <div className="stack">
        <AuditFilters workspaceId={workspaceId} filter={filter} actorName={names.get(filter.actor ?? '')?.name} onChange={change} />
        <section className="card" aria-label="Entries" ref={around} aria-busy={audits.isPlaceholderData}>
          <Loaded query={audits} skeletonLines={8}>
            {({ data, meta }) =>
              meta.total === 0 ? (
                <Empty
                  icon="audit"
                  title={filtered ? 'Nothing fits these filters' : 'Nothing has happened yet'}
                  action={filtered && <Button onClick={() => change({})}>Clear filters</Button>}
                >
                  {filtered
                    ? 'There is no entry with this action, by this person or key, in these days.'
                    : 'Changes are listed here as they are made.'}
                </Empty>
              ) : (
                <>
                  <AuditTable
                    label="Audit log"
                    entries={data}
                    names={names}
                    openId={entry}
                    onOpen={(id) =>
                      void navigate({ search: ({ entry: _, ...old }) => ({ ...old, ...(id && { entry: id }) }), resetScroll: false })
                    }
                  />
                  <CursorPager
                    total={meta.total}
                    noun={['entry', 'entries']}
                    later={cursor !== undefined}
                    nextCursor={meta.cursor}
                    onMove={(to) => void navigate({ search: { ...filter, ...(to && { cursor: to }) } })}
                  />
                </>
              )
            }
          </Loaded>
        </section>
      </div>
    </Page>
  );
}

function askedFor({ action, actor, since, until }: AuditFilter, cursor: string | undefined) {
  return {
    limit: PAGE,
    ...(action && { action }),
    ...(actor && { actorId: actor }),
    ...(since && { since: startOfDay(since) }),
    ...(until && { until: endOfDay(until) }),
    ...(cursor && { cursor }),
  };
}
