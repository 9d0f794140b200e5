import type { Agent } from '@commonplace/client';
import { IdText, KeyValues } from '../../design/code.tsx';
import { Card } from '../../design/page.tsx';
import { formatExact } from '../../design/time.tsx';

export function AgentIds({ agent }: { readonly agent: Agent }) {
  return (
    <Card title="For your code">
      <KeyValues
        items={[
          ['Id', <IdText key="id" id={agent.id} />],
          ['Handle', <IdText key="handle" id={agent.handle} />],
          ['Workspace id', <IdText key="workspace" id={agent.workspaceId} />],
          ['Created', formatExact(agent.createdAt)],
          ['Changed', formatExact(agent.updatedAt)],
        ]}
      />
    </Card>
  );
}
