import type { Prompt, PromptVersion } from '@commonplace/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useCan } from '../../api/permissions.ts';
import { Button } from '../../design/button.tsx';
import { IdText } from '../../design/code.tsx';
import { ErrorNotice } from '../../design/error-notice.tsx';
import { Skeleton } from '../../design/feedback.tsx';
import { Page } from '../../design/page.tsx';
import { showToast } from '../../design/toast.tsx';
import { params } from '../../search-params.ts';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { textsOf } from './chat.ts';
import { CompareCard } from './compare-card.tsx';
import { EditorCard } from './editor-card.tsx';
import { drafts, hasDraft, promptValues, useKept } from './kept.ts';
import { PromoteDialog, promoteLabel } from './promote-dialog.tsx';
import { PromptMenu } from './prompt-menu.tsx';
import { usersOfPromptQuery } from './queries.ts';
import { isSet, variablesIn } from './template.ts';
import { TryCard } from './try-card.tsx';
import { useDraft } from './use-draft.ts';
import { baseNumber, latestOf, useVersion, useVersions } from './use-versions.ts';
import { UsedByCard } from './used-by-card.tsx';
import { VersionList } from './version-list.tsx';
import { VersionMenu } from './version-menu.tsx';

const route = getRouteApi('/signed-in/w/$workspaceId/prompts/$promptId');
const NO_VALUES = {};

interface WorkbenchProps {
  readonly workspaceId: string;
  readonly prompt: Prompt;
}

/** A prompt with its versions: which one is open comes from the address. */
export function PromptWorkbench({ workspaceId, prompt }: WorkbenchProps) {
  const { version: chosen } = route.useSearch();
  const navigate = route.useNavigate();
  const { list, versions, total } = useVersions(workspaceId, prompt);
  const listed = list.data && versions;
  const found = useVersion(workspaceId, prompt, listed, chosen);
  const version = chosen === undefined ? latestOf(versions) : found.version;
  useDraftNotice(workspaceId, prompt);
  const open = (number: number | undefined) =>
    void navigate({ search: (before) => params({ ...before, version: number, compare: undefined }) });
  if (version)
    return (
      <VersionWorkbench workspaceId={workspaceId} prompt={prompt} version={version} versions={versions} onOpen={open}>
        <VersionList
          versions={versions}
          total={total}
          selected={version}
          onMore={list.hasNextPage ? () => void list.fetchNextPage() : undefined}
          loadingMore={list.isFetchingNextPage}
        />
      </VersionWorkbench>
    );
  const error = list.error ?? found.error;
  return (
    <Page title={prompt.name} lede={prompt.description}>
      {error ? (
        <div className="stack">
          <ErrorNotice error={error} onRetry={() => void list.refetch()} />
          {chosen !== undefined && (
            <div>
              <Button onClick={() => open(undefined)}>Open the latest version</Button>
            </div>
          )}
        </div>
      ) : (
        <Skeleton lines={8} />
      )}
    </Page>
  );
}

interface VersionWorkbenchProps extends WorkbenchProps {
  readonly version: PromptVersion;
  readonly versions: readonly PromptVersion[];
  readonly onOpen: (number: number | undefined) => void;
  readonly children: ReactNode;
}

function VersionWorkbench({ workspaceId, prompt, version, versions, onOpen, children }: VersionWorkbenchProps) {
  const { compare, version: chosen } = route.useSearch();
  const navigate = route.useNavigate();
  const draft = useDraft(workspaceId, version, onOpen);
  const { content, changed } = draft;
  // Without a number in the address the latest is open, and somebody may save a later one while this one is typed over.
  const hasToStay = chosen === undefined && (changed || draft.message !== '');
  useEffect(() => {
    if (!hasToStay) return;
    void navigate({ search: (before) => ({ ...before, version: version.version }), replace: true, resetScroll: false });
  }, [hasToStay, navigate, version.version]);
  const [promoting, setPromoting] = useState(false);
  const values = useKept(promptValues, prompt.promptId) ?? NO_VALUES;
  const users = useQuery(usersOfPromptQuery(workspaceId, prompt.promptId));
  const agents = users.data?.agents ?? [];
  const production = useVersion(workspaceId, prompt, versions, prompt.productionVersion ?? undefined);
  const base = useVersion(workspaceId, prompt, versions, compare ?? baseNumber(prompt, versions, version, changed));
  const canWrite = useCan('CAN_CREATE_PROMPT');
  const canPromote = useCan('CAN_UPDATE_PROMPT');
  const step = (by: -1 | 1) => {
    const next = versions[versions.findIndex(({ id }) => id === version.id) + by];
    if (next) onOpen(next.version);
  };
  useShortcuts({ 'Mod+Enter': draft.save, '[': () => step(1), ']': () => step(-1) });
  const variables = variablesIn(textsOf(version.type, content));
  const setNames = new Set(variables.filter((name) => isSet(values, name)));
  const isLive = prompt.productionVersion === version.version;
  const readOnlyReason = 'Your role can read prompts, and not change them.';
  return (
    <Page
      title={prompt.name}
      lede={
        <>
          {prompt.description && (
            <span className="prompt-description clamp-2" dir="auto">
              {prompt.description}
            </span>
          )}
          <IdText id={prompt.handle} />
        </>
      }
      actions={
        <>
          <Button
            variant={changed && canWrite ? 'primary' : undefined}
            busy={draft.saving && 'Saving'}
            disabled={!changed || !canWrite}
            title={canWrite ? undefined : readOnlyReason}
            onClick={draft.save}
          >
            Save as new version
          </Button>
          <Button
            variant={changed || isLive || !canPromote ? undefined : 'primary'}
            disabled={changed || isLive || !canPromote}
            title={canPromote ? (changed ? 'Save your changes first.' : undefined) : readOnlyReason}
            onClick={() => setPromoting(true)}
          >
            {isLive ? `v${version.version} is in production` : promoteLabel(version, prompt.productionVersion)}
          </Button>
          <PromptMenu workspaceId={workspaceId} prompt={prompt} agents={agents} onDeleted={() => dropDrafts(versions)} />
        </>
      }
    >
      <div className="prompt-grid">
        {children}
        <EditorCard
          key={version.id}
          version={version}
          content={content}
          message={draft.message}
          changed={changed}
          variables={variables}
          setNames={setNames}
          readOnly={!canWrite}
          onContent={draft.setContent}
          onMessage={draft.setMessage}
          onSave={draft.save}
          failure={draft.error && <ErrorNotice error={draft.error} />}
          menu={
            <VersionMenu
              workspaceId={workspaceId}
              prompt={prompt}
              version={version}
              agents={agents}
              onDiscard={changed ? draft.discard : undefined}
              onDeleted={() =>
                prompt.versionCount === 1
                  ? void navigate({ to: '/w/$workspaceId/prompts', params: { workspaceId }, search: {} })
                  : onOpen(undefined)
              }
            />
          }
        />
        <div className="stack prompt-side">
          <TryCard workspaceId={workspaceId} version={version} content={content} changed={changed} variables={variables} values={values} />
          <UsedByCard workspaceId={workspaceId} query={users} />
        </div>
        <CompareCard
          base={base.version}
          loading={base.loading}
          version={version}
          content={content}
          changed={changed}
          versions={versions}
          onBase={(number) => void navigate({ search: (before) => ({ ...before, compare: number }), replace: true, resetScroll: false })}
        />
      </div>
      {promoting && (
        <PromoteDialog
          workspaceId={workspaceId}
          version={version}
          production={production.version}
          agents={agents}
          onClose={() => setPromoting(false)}
        />
      )}
    </Page>
  );
}

function dropDrafts(versions: readonly PromptVersion[]): void {
  for (const { id } of versions) drafts.set(id, undefined);
}

/** Leaving with changes keeps them, and says so. */
function useDraftNotice(workspaceId: string, { promptId, name }: Prompt): void {
  const navigate = useNavigate();
  const leave = useRef(() => {});
  leave.current = () => {
    if (!hasDraft(promptId)) return;
    const back = () => void navigate({ to: '/w/$workspaceId/prompts/$promptId', params: { workspaceId, promptId } });
    const note = 'They are not saved, and go when you close this window.';
    showToast(`Your changes to ${name} are kept`, { note, action: { label: 'Go back', onPress: back } });
  };
  useEffect(() => () => leave.current(), []);
}
