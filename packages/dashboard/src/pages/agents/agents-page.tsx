import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef } from 'react';
import { client } from '../../api/client.ts';
import { useCan } from '../../api/permissions.ts';
import { Button } from '../../design/button.tsx';
import { Empty, Loaded } from '../../design/feedback.tsx';
import { Page, Pager } from '../../design/page.tsx';
import { FillExampleButton } from '../../example-data/fill-example-button.tsx';
import { useListKeys } from '../../shell/list-keys.ts';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { AgentsTable } from './agents-table.tsx';
import { NewAgentDialog } from './new-agent-dialog.tsx';

const route = getRouteApi('/signed-in/w/$workspaceId/agents');
const PAGE = 50;

export function AgentsPage() {
  const { workspaceId } = route.useParams();
  const search = route.useSearch();
  const offset = search.offset ?? 0;
  const navigate = route.useNavigate();
  const mayCreate = useCan('CAN_CREATE_AGENT');
  const around = useRef<HTMLElement>(null);
  const agents = useQuery({
    queryKey: ['workspace', workspaceId, 'agents', { offset }],
    queryFn: ({ signal }) => client.workspace(workspaceId).agents.list({ offset, limit: PAGE }, { signal }),
    placeholderData: keepPreviousData,
  });
  const open = () => void navigate({ search: (old) => ({ ...old, new: true }) });
  const openByKey = () => {
    if (mayCreate) open();
  };
  useShortcuts({ C: openByKey });
  useListKeys(around);
  const createButton = (
    <Button variant="primary" icon="plus" onClick={open}>
      Create agent
    </Button>
  );
  return (
    <Page
      title="Agents"
      lede="An agent is whatever talks to people on your behalf. Its sessions, memories, prompt and part of the knowledge hang together here."
      actions={mayCreate && agents.data?.meta.total !== 0 && createButton}
    >
      <section className="card" aria-label="Agents" ref={around}>
        <Loaded query={agents} skeletonLines={4}>
          {({ data, meta }) =>
            meta.total === 0 ? (
              <Empty
                icon="agents"
                title="No agents yet"
                action={
                  mayCreate && (
                    <div className="row wrap">
                      {createButton}
                      <FillExampleButton workspaceId={workspaceId} />
                    </div>
                  )
                }
              >
                Make one for the program that talks: its sessions and memories are kept under it.
              </Empty>
            ) : (
              <>
                <AgentsTable workspaceId={workspaceId} agents={data} />
                <Pager
                  offset={offset}
                  limit={PAGE}
                  total={meta.total}
                  onMove={(to) => void navigate({ search: to > 0 ? { offset: to } : {} })}
                />
              </>
            )
          }
        </Loaded>
      </section>
      {search.new && mayCreate && (
        <NewAgentDialog
          workspaceId={workspaceId}
          onClose={() => void navigate({ search: ({ new: _, ...old }) => old })}
          onCreated={({ id }) => void navigate({ to: '/w/$workspaceId/agents/$agentId', params: { workspaceId, agentId: id } })}
        />
      )}
    </Page>
  );
}
