import type { CreatedAccessKey } from '@commonplace/client';
import { useQuery } from '@tanstack/react-query';
import { Link, Navigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { runtimeSummary } from '../../api/key-presets.ts';
import { BrandMark } from '../../design/brand.tsx';
import { buttonClass } from '../../design/button.tsx';
import { SecretText } from '../../design/code.tsx';
import { ErrorNotice } from '../../design/error-notice.tsx';
import { Skeleton } from '../../design/feedback.tsx';
import { useWindowTitle } from '../../design/page.tsx';
import { ThemeButton } from '../../design/theme.tsx';
import { FillExampleButton } from '../../example-data/fill-example-button.tsx';
import { isApple } from '../../shell/shortcuts.ts';
import { arrivalQuery } from '../start/arrival.ts';
import { FirstMessage } from '../start/first-message.tsx';
import type { SnippetChoice } from '../start/snippet-tabs.tsx';
import { AccountStep } from './account-step.tsx';
import { AgentStep } from './agent-step.tsx';
import { KeyStep } from './key-step.tsx';
import { type SetUpProgress, useSetUpProgress } from './progress.ts';
import { Step } from './step.tsx';
import { WorkspaceStep } from './workspace-step.tsx';
import './set-up.css';

const order = ['account', 'workspace', 'agent', 'key', 'message'] as const;
type StepName = (typeof order)[number];

const heads: Readonly<Record<StepName, readonly [title: string, lede: string]>> = {
  account: ['Welcome to Commonplace', 'Five short steps, and your agent remembers. It takes about two minutes.'],
  workspace: ['Name your workspace', 'Everything that agents remember belongs to a workspace.'],
  agent: ['Who will remember', 'Name the first agent. You can add others later.'],
  key: ['A key for your program', 'So that your agent can write here, and nobody else.'],
  message: [
    'One message, and it remembers',
    'Your workspace is ready. Send it a first message from where your agent runs. This page sees it arrive.',
  ],
};

/** The first run: account, workspace, agent, key, and the first message. */
export function SetUpPage() {
  const progress = useSetUpProgress();
  // Nowhere but here: gone when the page is.
  const [key, setKey] = useState<CreatedAccessKey>();
  const [skippedKey, setSkippedKey] = useState(false);
  useWindowTitle('Set up');
  if (progress.at === 'signed-out') return <Navigate to="/sign-in" search={{ next: '/set-up' }} />;
  if (progress.at === 'loading')
    return (
      <SetUpFrame>{progress.error ? <ErrorNotice error={progress.error} onRetry={progress.retry} /> : <Skeleton lines={6} />}</SetUpFrame>
    );
  if (progress.at !== 'account' && progress.at !== 'workspace' && progress.workspace.role === 'readonly')
    return <Navigate to="/w/$workspaceId" params={{ workspaceId: progress.workspace.id }} />;
  const current: StepName = progress.at === 'key' && (key || skippedKey) ? 'message' : progress.at;
  return (
    <SetUpFrame step={order.indexOf(current) + 1} head={heads[current]}>
      <Steps progress={progress} current={current} accessKey={key} onKey={setKey} onSkipKey={() => setSkippedKey(true)} />
    </SetUpFrame>
  );
}

interface SetUpFrameProps {
  readonly step?: number;
  readonly head?: readonly [title: string, lede: string];
  readonly children: ReactNode;
}

function SetUpFrame({ step, head: [title, lede] = ['Set up', ''], children }: SetUpFrameProps) {
  return (
    <div className="setup">
      <div>
        <header className="setup-top">
          <Link to="/" className="brand">
            <BrandMark />
            Commonplace
          </Link>
          <span className="grow" />
          {step && (
            <span className="muted small">
              Step {step} of {order.length}
            </span>
          )}
          <ThemeButton />
        </header>
        <main id="main" tabIndex={-1}>
          <h1>{title}</h1>
          <p className="setup-lede">{lede}</p>
          {children}
        </main>
      </div>
    </div>
  );
}

interface StepsProps {
  readonly progress: Exclude<SetUpProgress, { at: 'loading' | 'signed-out' }>;
  readonly current: StepName;
  readonly accessKey: CreatedAccessKey | undefined;
  readonly onKey: (key: CreatedAccessKey) => void;
  readonly onSkipKey: () => void;
}

function Steps({ progress, current, accessKey, onKey, onSkipKey }: StepsProps) {
  const [choice, setChoice] = useState<SnippetChoice>({});
  const workspace = 'workspace' in progress ? progress.workspace : undefined;
  const agent = 'agent' in progress ? progress.agent : undefined;
  const isListening = current === 'message' && workspace !== undefined && agent !== undefined;
  const { data: arrival } = useQuery({ ...arrivalQuery(workspace?.id ?? '', agent?.id ?? ''), enabled: isListening });
  // The last step stays open, and is done when its message has come.
  const at = order.indexOf(current) + (isListening && arrival ? 1 : 0);
  const step = (name: StepName) => {
    const place = order.indexOf(name);
    return { number: place + 1, state: place < at ? 'done' : place === at ? 'current' : 'later' } as const;
  };
  return (
    <ol className="steps">
      <Step {...step('account')} title="Your account" outcome={'email' in progress ? progress.email : undefined}>
        {current === 'account' && <AccountStep />}
      </Step>
      <Step {...step('workspace')} title="Workspace" outcome={workspace?.name} note="You can rename it at any time">
        {current === 'workspace' && <WorkspaceStep />}
      </Step>
      <Step
        {...step('agent')}
        title="Agent"
        outcome={agent?.name}
        note={agent?.configs.memoryPipeline ? 'Memory extraction is on' : 'Memory extraction is off'}
      >
        {current === 'agent' && workspace && <AgentStep workspaceId={workspace.id} />}
      </Step>
      <Step {...step('key')} title="Access key" outcome={accessKey ? runtimeSummary : 'One that you have'}>
        {current === 'key' && workspace && agent && (
          <KeyStep workspaceId={workspace.id} agentName={agent.name} onCreated={onKey} onSkip={onSkipKey} />
        )}
        {current === 'message' && accessKey && (
          <>
            <SecretText text={accessKey.key} />
            <p className="help">Shown this once. It stands in the snippets below, until you leave this page.</p>
          </>
        )}
      </Step>
      <Step {...step('message')} title="First message">
        {current === 'message' && workspace && agent && (
          <>
            <FirstMessage
              workspaceId={workspace.id}
              agent={agent}
              accessKey={accessKey?.key}
              canSend
              choice={choice}
              onChoose={setChoice}
            />
            <div className="row wrap set-up-end">
              <Link to="/w/$workspaceId" params={{ workspaceId: workspace.id }} className={buttonClass({ variant: 'primary' })}>
                Open the workspace
              </Link>
              <FillExampleButton workspaceId={workspace.id} />
            </div>
            <p className="help">
              You find these snippets again by typing{' '}
              <Link to="/w/$workspaceId/start" params={{ workspaceId: workspace.id }}>
                Get started
              </Link>{' '}
              into the command palette ({isApple ? '⌘ K' : 'Ctrl K'}) of the workspace.
            </p>
          </>
        )}
      </Step>
    </ol>
  );
}
