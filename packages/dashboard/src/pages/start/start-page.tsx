import type { Agent, CreatedAccessKey } from '@commonplace/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { runtimeSummary } from '../../api/key-presets.ts';
import { useCan } from '../../api/permissions.ts';
import { agentsQuery } from '../../api/queries.ts';
import { buttonClass } from '../../design/button.tsx';
import { SecretText } from '../../design/code.tsx';
import { Empty, Loaded } from '../../design/feedback.tsx';
import { Select } from '../../design/field.tsx';
import { Card, Page } from '../../design/page.tsx';
import { ExampleDataCard } from '../../example-data/example-data-card.tsx';
import { isExampleAgent } from '../../example-data/marks.ts';
import { AgentStep } from '../set-up/agent-step.tsx';
import { FirstMessage } from './first-message.tsx';
import { NewKeyButton } from './new-key.tsx';
import { KEY_PLACEHOLDER } from './snippets.ts';

const route = getRouteApi('/signed-in/w/$workspaceId/start');

/** The last step of the first run, for any workspace at any time. */
export function StartPage() {
  const { workspaceId } = route.useParams();
  const agents = useQuery(agentsQuery(workspaceId));
  const canCreateAgent = useCan('CAN_CREATE_AGENT');
  return (
    <Page
      title="Get started"
      lede="Send a message from where your agent runs, with the real ids filled in. This page sees it arrive."
      narrow
    >
      <div className="stack">
        <Loaded query={agents}>
          {(list) => {
            const active = list.filter(({ status }) => status === 'active');
            if (active.length > 0) return <Snippets workspaceId={workspaceId} agents={active} />;
            return canCreateAgent ? (
              <Card title="The first agent">
                <AgentStep workspaceId={workspaceId} />
              </Card>
            ) : (
              <Empty icon="agents" title="No agents yet">
                An owner or admin of the workspace makes the first one.
              </Empty>
            );
          }}
        </Loaded>
        {agents.data && <ExampleDataCard workspaceId={workspaceId} />}
      </div>
    </Page>
  );
}

function Snippets({ workspaceId, agents }: { readonly workspaceId: string; readonly agents: readonly Agent[] }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const canSend = useCan('CAN_CREATE_SESSION_MESSAGE');
  const [key, setKey] = useState<CreatedAccessKey>();
  const agent = agents.find(({ id }) => id === search.agent) ?? agents.find((each) => !isExampleAgent(each)) ?? (agents[0] as Agent);
  const options = agents.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <>
      <Card title="Agent and key">
        <div className="stack">
          <Select
            label="Agent"
            options={options}
            value={agent.id}
            onChange={(event) => void navigate({ search: { ...search, agent: event.target.value }, replace: true })}
          />
          <KeyPlace workspaceId={workspaceId} agentName={agent.name} accessKey={key} onCreated={setKey} />
        </div>
      </Card>
      <Card title="First message">
        <FirstMessage
          workspaceId={workspaceId}
          agent={agent}
          accessKey={key?.key}
          canSend={canSend}
          choice={search}
          onChoose={(choice) => void navigate({ search: { ...search, ...choice }, replace: true })}
        />
      </Card>
    </>
  );
}

interface KeyPlaceProps {
  readonly workspaceId: string;
  readonly agentName: string;
  readonly accessKey: CreatedAccessKey | undefined;
  readonly onCreated: (key: CreatedAccessKey) => void;
}

function KeyPlace({ workspaceId, agentName, accessKey, onCreated }: KeyPlaceProps) {
  const canCreate = useCan('CAN_CREATE_WORKSPACE_ACCESS_KEY');
  if (accessKey)
    return (
      <div className="stack tight">
        <SecretText text={accessKey.key} />
        <p className="help">Shown this once. It stands in the snippets below, until you leave this page.</p>
      </div>
    );
  return (
    <div className="stack tight">
      <p className="soft">
        {canCreate
          ? `Put your access key where the snippets say ${KEY_PLACEHOLDER}, or make one here and it is filled in (${runtimeSummary}).`
          : `Put your access key where the snippets say ${KEY_PLACEHOLDER}. An owner or admin of the workspace can make one for you.`}
      </p>
      {canCreate && (
        <div className="row wrap">
          <NewKeyButton workspaceId={workspaceId} agentName={agentName} label="Create access key" onCreated={onCreated} />
          <Link to="/w/$workspaceId/keys" params={{ workspaceId }} className={buttonClass({ variant: 'ghost' })}>
            All access keys
          </Link>
        </div>
      )}
    </div>
  );
}
