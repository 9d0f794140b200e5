import type { Agent } from '@commonplace/client';
import { serviceUrl } from '../../api/client.ts';
import { LiveCheck } from './live-check.tsx';
import { type SnippetChoice, SnippetTabs } from './snippet-tabs.tsx';
import { KEY_PLACEHOLDER } from './snippets.ts';
import './start.css';

interface FirstMessageProps {
  readonly workspaceId: string;
  readonly agent: Agent;
  readonly accessKey: string | undefined;
  readonly canSend: boolean;
  readonly choice: SnippetChoice;
  readonly onChoose: (choice: SnippetChoice) => void;
}

/** The word that a message came, in sight from the start, and what to paste for it. */
export function FirstMessage({ workspaceId, agent, accessKey = KEY_PLACEHOLDER, canSend, choice, onChoose }: FirstMessageProps) {
  return (
    <div className="stack">
      <LiveCheck
        key={agent.id}
        workspaceId={workspaceId}
        agentId={agent.id}
        canSend={canSend}
        memoryPipeline={agent.configs.memoryPipeline}
      />
      <SnippetTabs facts={{ serviceUrl, workspaceId, agentId: agent.id, accessKey }} choice={choice} onChoose={onChoose} />
    </div>
  );
}
