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

/** What to paste, and the word that it came. */
export function FirstMessage({ workspaceId, agent, accessKey = KEY_PLACEHOLDER, canSend, choice, onChoose }: FirstMessageProps) {
  return (
    <div className="stack">
      <SnippetTabs facts={{ serviceUrl, workspaceId, agentId: agent.id, accessKey }} choice={choice} onChoose={onChoose} />
      <LiveCheck
        key={agent.id}
        workspaceId={workspaceId}
        agentId={agent.id}
        canSend={canSend}
        memoryPipeline={agent.configs.memoryPipeline}
      />
    </div>
  );
}
