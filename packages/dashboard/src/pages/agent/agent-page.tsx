import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { agentQuery } from '../../api/queries.ts';
import { Badge } from '../../design/badge.tsx';
import { buttonClass } from '../../design/button.tsx';
import { Loaded } from '../../design/feedback.tsx';
import { Icon } from '../../design/icon.tsx';
import { Page } from '../../design/page.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { nameCrumb } from '../../shell/crumbs.tsx';
import { PageFailure } from '../../shell/page-failure.tsx';
import { AgentForm } from './agent-form.tsx';
import { AgentIds } from './agent-ids.tsx';
import { DeleteAgent } from './delete-agent.tsx';
import { MemoriesTab } from './memories-tab.tsx';
import type { agentTabs } from './search-params.ts';
import './agent.css';

const route = getRouteApi('/signed-in/w/$workspaceId/agents/$agentId');
type AgentTab = (typeof agentTabs)[number];

export function AgentPage() {
  const { workspaceId, agentId } = route.useParams();
  const { tab = 'settings' } = route.useSearch();
  const navigate = route.useNavigate();
  const agent = useQuery(agentQuery(workspaceId, agentId));
  const name = agent.data?.name;
  useEffect(() => {
    if (name) nameCrumb(agentId, { name });
  }, [agentId, name]);
  if (agent.error && !agent.data) return <PageFailure error={agent.error} onRetry={() => void agent.refetch()} />;
  return (
    <Page
      title={name ?? 'Agent'}
      lede={
        agent.data ? (
          <span className="row wrap">
            <code>{agent.data.handle}</code>
            {agent.data.status === 'archived' && <Badge tone="outline">Archived</Badge>}
            {agent.data.configs.memoryPipeline ? <Badge tone="ok">Remembers</Badge> : <Badge>Does not remember</Badge>}
          </span>
        ) : (
          '\u00a0'
        )
      }
      actions={<Links workspaceId={workspaceId} agentId={agentId} />}
    >
      <Tabs<AgentTab>
        label="Agent"
        value={tab}
        onChange={(next) => void navigate({ search: next === 'settings' ? {} : { tab: next } })}
        items={[
          { value: 'settings', label: 'Settings' },
          { value: 'memories', label: 'Memories' },
        ]}
      >
        {(shown) => (
          <Loaded query={agent} skeletonLines={6}>
            {(data) =>
              shown === 'memories' ? (
                <MemoriesTab agent={data} />
              ) : (
                <div className="stack narrow">
                  <AgentForm key={data.id} agent={data} />
                  <AgentIds agent={data} />
                  <DeleteAgent agent={data} />
                </div>
              )
            }
          </Loaded>
        )}
      </Tabs>
    </Page>
  );
}

function Links({ workspaceId, agentId }: { readonly workspaceId: string; readonly agentId: string }) {
  return (
    <>
      <Link to="/w/$workspaceId/sessions" params={{ workspaceId }} search={{ agent: agentId }} className={buttonClass()}>
        <Icon name="sessions" />
        Sessions
      </Link>
      <Link to="/w/$workspaceId/context" params={{ workspaceId }} search={{ agent: agentId }} className={buttonClass()}>
        <Icon name="context" />
        Context
      </Link>
    </>
  );
}
