import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useCan } from '../../api/permissions.ts';
import { agentsQuery } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { Empty, EmptyPage, Loaded, Skeleton } from '../../design/feedback.tsx';
import { Select } from '../../design/field.tsx';
import { plural } from '../../design/numbers.ts';
import { Card, Page, Pager } from '../../design/page.tsx';
import { FirstSteps } from '../../example-data/first-steps.tsx';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { NewSessionDialog } from './new-session-dialog.tsx';
import type { SessionsSearch } from './search-params.ts';
import { SessionFilter } from './session-filter.tsx';
import './sessions.css';
import { lastActiveAgentQuery, SESSIONS_ON_A_PAGE, sessionsQuery } from './sessions-queries.ts';
import { SessionsTable } from './sessions-table.tsx';
import { useHeldBack } from './use-held-back.ts';

const route = getRouteApi('/signed-in/w/$workspaceId/sessions');

/** Sessions of one agent, last active first. */
export function SessionsPage() {
  const { workspaceId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [creating, setCreating] = useState(false);
  const filterField = useRef<HTMLInputElement>(null);
  const canCreate = useCan('CAN_CREATE_AGENT_SESSION');
  const agents = useQuery(agentsQuery(workspaceId));
  const choices = agents.data ?? [];
  const lastActive = useQuery({ ...lastActiveAgentQuery(workspaceId, choices), enabled: choices.length > 0 && !search.agent });
  const agentId = search.agent ?? lastActive.data ?? '';
  const agentName = choices.find(({ id }) => id === agentId)?.name ?? 'an agent';
  const filter = (next: SessionsSearch) => void navigate({ search: next, replace: true, resetScroll: false });
  const { offset: _, ...withoutPage } = search;
  const create = () => canCreate && agentId !== '' && setCreating(true);
  useShortcuts({ '/': () => filterField.current?.focus(), C: create });
  const newSession = canCreate && agentId !== '' && (
    <Button icon="plus" onClick={() => setCreating(true)}>
      New session
    </Button>
  );
  return (
    <Page title="Sessions" lede={`Conversations of ${agentName}, the last active first.`} actions={newSession}>
      <Loaded query={agents} skeletonLines={8}>
        {(known) =>
          known.length === 0 ? (
            <Empty icon="agents" title="No agents yet" action={<FirstSteps workspaceId={workspaceId} />}>
              A session belongs to an agent. Make one first.
            </Empty>
          ) : (
            <div className="stack">
              <div className="session-filters">
                <Select
                  label="Agent"
                  value={agentId}
                  options={agentOptions(known, agentId)}
                  onChange={({ target }) => filter({ agent: target.value })}
                />
                <SessionFilter ref={filterField} search={search} onChange={filter} />
              </div>
              {agentId === '' ? (
                <Skeleton lines={8} />
              ) : (
                <SessionList
                  key={agentId}
                  workspaceId={workspaceId}
                  agentId={agentId}
                  agentName={agentName}
                  search={search}
                  onMove={(offset) => void navigate({ search: offset > 0 ? { ...withoutPage, offset } : withoutPage })}
                  onClear={() => filter({ agent: agentId })}
                />
              )}
            </div>
          )
        }
      </Loaded>
      {creating && <NewSessionDialog workspaceId={workspaceId} agentId={agentId} onClose={() => setCreating(false)} />}
    </Page>
  );
}

function agentOptions(agents: readonly { readonly id: string; readonly name: string }[], chosen: string) {
  const options = agents.map(({ id, name }) => ({ value: id, label: name }));
  // An address may name an agent beyond the newest hundred.
  return chosen === '' || options.some(({ value }) => value === chosen) ? options : [{ value: chosen, label: chosen }, ...options];
}

interface SessionListProps {
  readonly workspaceId: string;
  readonly agentId: string;
  readonly agentName: string;
  readonly search: SessionsSearch;
  readonly onMove: (offset: number) => void;
  readonly onClear: () => void;
}

function SessionList({ workspaceId, agentId, agentName, search, onMove, onClear }: SessionListProps) {
  const listed = useQuery(sessionsQuery(workspaceId, agentId, search));
  const { page, waiting, show } = useHeldBack(listed.data, JSON.stringify([search.id, search.label, search.offset]));
  return (
    <Card flush>
      {waiting > 0 && (
        <div className="new-rows" role="status">
          <Button small icon="refresh" onClick={show}>
            {`${waiting} new`}
          </Button>
        </div>
      )}
      <Loaded query={{ ...listed, data: page }} skeletonLines={10}>
        {({ sessions, total }) =>
          sessions.length === 0 ? (
            <NoSessions workspaceId={workspaceId} agentName={agentName} search={search} onMove={onMove} onClear={onClear} />
          ) : (
            <>
              <span className="sr-only" role="status">
                {plural(total, 'session')}
              </span>
              <SessionsTable sessions={sessions} />
              <Pager offset={search.offset ?? 0} limit={SESSIONS_ON_A_PAGE} total={total} onMove={onMove} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

function NoSessions({ workspaceId, agentName, search, onMove, onClear }: Omit<SessionListProps, 'agentId'>) {
  if (search.offset) return <EmptyPage icon="sessions" onFirst={() => onMove(0)} />;
  const filters = [...(search.id ? [`id ${search.id}`] : []), ...(search.label ?? [])];
  if (filters.length === 0)
    return (
      <Empty icon="sessions" title={`No sessions of ${agentName} yet`} action={<FirstSteps workspaceId={workspaceId} />}>
        A session begins with your agent’s first message.
      </Empty>
    );
  const clear = (
    <Button icon="x" onClick={onClear}>
      Clear the filter
    </Button>
  );
  return (
    <Empty icon="search" title="No session matches" action={clear}>
      Nothing with {filters.join(' and ')}.
    </Empty>
  );
}
