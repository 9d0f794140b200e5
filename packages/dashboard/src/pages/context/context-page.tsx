import './context.css';
import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { client } from '../../api/client.ts';
import { curlOf } from '../../api/curl.ts';
import { buttonClass } from '../../design/button.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { ErrorNotice } from '../../design/error-notice.tsx';
import { Empty, Notice, Skeleton, useIsSlow } from '../../design/feedback.tsx';
import { Page } from '../../design/page.tsx';
import { params } from '../../search-params.ts';
import { givenValue, isSet } from '../prompt/template.ts';
import { Answer } from './answer.tsx';
import type { PiecePlace } from './piece-row.tsx';
import { contextRequest, includedParts, readLabels } from './request.ts';
import { RequestForm } from './request-form.tsx';
import type { ContextSearch } from './search-params.ts';
import { type Subject, useSubject } from './use-subject.ts';

const route = getRouteApi('/signed-in/w/$workspaceId/context');

const LEDE = 'What an agent would be given for a question, packed into its budget. Move the slider and see what has to go.';

/** Values that the prompt needs and that nobody has given yet. */
function missingValues(search: ContextSearch, { prompt }: Subject): readonly string[] {
  if (!includedParts(search).includes('prompt')) return [];
  return (prompt.value?.version?.variables ?? []).filter((name) => !isSet(search.variables ?? {}, name));
}

/** What is still needed before it can be asked for, in a sentence. */
function findObstacle(search: ContextSearch, { agents, sessions }: Subject, missing: readonly string[]): string | undefined {
  const included = includedParts(search);
  if (included.length === 0) return 'Choose at least one thing to include.';
  if (search.of === 'person' && Object.keys(readLabels(search.labels ?? '').labels).length === 0)
    return 'Name the person by at least one label, and pack the context.';
  if (search.of !== 'person' && agents.chosen && sessions.list?.length === 0)
    return `${agents.chosen.name} has no sessions yet. Choose another agent, or ask by labels.`;
  return missing.length > 0 && included.length === 1 ? `The prompt needs values for ${listOf(missing)}.` : undefined;
}

const MOST_NAMED = 10;
const listOf = (names: readonly string[]) => new Intl.ListFormat('en').format(names.slice(0, MOST_NAMED));

export function ContextPage() {
  const { workspaceId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const subject = useSubject(workspaceId, search);
  const { agents, sessions, prompt } = subject;
  const missing = missingValues(search, subject);
  const obstacle = findObstacle(search, subject, missing);
  const agentId = agents.chosen?.id;
  const sessionId = search.of === 'person' ? undefined : sessions.chosen?.id;
  const names = prompt.value?.version?.variables ?? [];
  const variables = Object.fromEntries(names.map((name) => [name, givenValue(search.variables ?? {}, name)]));
  // What would be refused for want of a value is shown without its prompt.
  const asked =
    missing.length === 0
      ? search
      : {
          ...search,
          include: includedParts(search)
            .filter((part) => part !== 'prompt')
            .join(' '),
        };
  const request = contextRequest(asked, variables);
  const { labels } = readLabels(search.labels ?? '');
  const body = search.of === 'person' ? { labels, ...request } : request;
  const isReady = agentId !== undefined && (search.of === 'person' || sessionId !== undefined) && !obstacle && !prompt.loading;
  const context = useQuery({
    queryKey: ['workspace', workspaceId, 'context', agentId, sessionId, body],
    queryFn: isReady
      ? ({ signal }) => {
          const resources = client.workspace(workspaceId);
          return sessionId === undefined
            ? resources.agents.context(agentId, { ...request, labels }, { signal })
            : resources.sessions.context(agentId, sessionId, request, { signal });
        }
      : skipToken,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  const isOld = useIsSlow(context.isFetching && context.data !== undefined);
  const busy = useIsSlow(context.isFetching);
  const choose = (changes: { readonly [Name in keyof ContextSearch]?: ContextSearch[Name] | undefined }) =>
    void navigate({ search: (before) => params({ ...before, ...changes }), replace: true, resetScroll: false });
  const submit = (typed: { q?: string; labels?: string; variables?: Readonly<Record<string, string>> }) => {
    const kept = params({
      ...search,
      q: typed.q?.trim() || undefined,
      labels: typed.labels?.trim() || undefined,
      variables: typed.variables,
    });
    void navigate({ search: kept, resetScroll: false });
    if (isReady) void context.refetch();
  };
  const known = useRef(false);
  known.current ||= agents.chosen !== undefined && !prompt.loading && (search.of === 'person' || sessions.list !== undefined);
  const isFirst = !known.current && !agents.error && !sessions.error;
  if (isFirst && agents.list?.length !== 0) return <FirstLook />;
  if (agents.list?.length === 0)
    return (
      <Page title="Context" lede={LEDE}>
        <section className="card" aria-label="Context">
          <Empty
            icon="context"
            title="No agents yet"
            action={
              <Link to="/w/$workspaceId/agents" params={{ workspaceId }} className={buttonClass({ variant: 'primary' })}>
                Go to agents
              </Link>
            }
          >
            A context is made for an agent, from its prompt, its sessions and what they left behind.
          </Empty>
        </section>
      </Page>
    );
  const path = `/workspaces/${workspaceId}/agents/${agentId}${sessionId === undefined ? '' : `/sessions/${sessionId}`}/context`;
  const place: PiecePlace = {
    workspaceId,
    agentId: agentId ?? '',
    promptId: prompt.value?.promptId,
    promptName: prompt.value?.name,
    versionNumber: (id) => prompt.value?.versions.find((version) => version.id === id)?.version,
  };
  const error = agents.error ?? (search.of === 'person' ? undefined : sessions.error) ?? context.error;
  return (
    <Page
      title="Context"
      lede={LEDE}
      actions={
        <>
          <CopyButton text={curlOf({ method: 'POST', path, body })} label="Copy as curl" />
          <CopyButton text={JSON.stringify(context.data ?? {}, null, 2)} label="Copy JSON" />
        </>
      }
    >
      <div className="columns early context-columns">
        <RequestForm subject={subject} search={search} busy={busy} onChoose={choose} onSubmit={submit} />
        <div className="stack">
          {obstacle ? <Notice>{obstacle}</Notice> : missing.length > 0 && <LeftOutNotice missing={missing} />}
          {error && !obstacle && <ErrorNotice error={error} onRetry={() => void context.refetch()} />}
          {context.data && !obstacle && !context.error && (
            <Answer
              context={context.data}
              place={place}
              view={search.view ?? 'pieces'}
              onView={(view) => choose({ view: view === 'messages' ? view : undefined })}
              isOld={isOld}
            />
          )}
          {!context.data && !obstacle && !error && (
            <section className="card" aria-label="Context">
              <Skeleton lines={10} />
            </section>
          )}
        </div>
      </div>
    </Page>
  );
}

/** In the shape of what comes: the form would grow by what the agent's prompt needs. */
function FirstLook() {
  return (
    <Page title="Context" lede={LEDE}>
      <div className="columns early context-columns">
        <section className="card" aria-label="Request">
          <Skeleton lines={12} />
        </section>
        <section className="card" aria-label="Context">
          <Skeleton lines={10} />
        </section>
      </div>
    </Page>
  );
}

function LeftOutNotice({ missing }: { readonly missing: readonly string[] }) {
  return (
    <Notice>
      The prompt is left out: it needs {missing.length === 1 ? 'a value' : 'values'} for <strong>{listOf(missing)}</strong>. Fill{' '}
      {missing.length === 1 ? 'it' : 'them'} in and pack the context.
    </Notice>
  );
}
