import type { Memory, Message, Session } from '@commonplace/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { agentQuery } from '../../api/queries.ts';
import { ErrorNotice } from '../../design/error-notice.tsx';
import { Skeleton } from '../../design/feedback.tsx';
import { useWindowTitle } from '../../design/page.tsx';
import { nameCrumb } from '../../shell/crumbs.tsx';
import { PageFailure } from '../../shell/page-failure.tsx';
import { Compose } from './conversation/compose.tsx';
import { Thread } from './conversation/thread.tsx';
import type { SessionSearch } from './search-params.ts';
import './session.css';
import { SessionHead } from './session-head.tsx';
import { memoriesQuery, sessionQuery } from './session-queries.ts';
import { SessionSide } from './session-side.tsx';
import { type Jump, type SessionView, SessionViewProvider, sourcesOf } from './session-view.ts';
import { useMessagePages } from './use-message-pages.ts';

const ForkDialog = lazy(() => import('./fork-dialog.tsx').then(({ ForkDialog: component }) => ({ default: component })));
const route = getRouteApi('/signed-in/w/$workspaceId/agents/$agentId/sessions/$sessionId');

export const sessionName = (session: Pick<Session, 'title' | 'externalId'>): string => session.title || session.externalId;

/** What was said, and what was kept of it. */
export function SessionPage() {
  const { workspaceId, agentId, sessionId } = route.useParams();
  const place = useMemo(() => ({ workspaceId, agentId, sessionId }), [workspaceId, agentId, sessionId]);
  const session = useQuery(sessionQuery(place));
  const agent = useQuery(agentQuery(workspaceId, agentId));
  useEffect(() => {
    if (session.data) nameCrumb(sessionId, session.data);
    if (agent.data) nameCrumb(agentId, agent.data);
  }, [session.data, agent.data, sessionId, agentId]);
  if (session.error && !session.data) return <PageFailure error={session.error} onRetry={() => void session.refetch()} />;
  return (
    <main id="main" className="page full session-page" tabIndex={-1}>
      {session.data ? (
        <OpenSession key={sessionId} place={place} session={session.data} agentName={agent.data?.name ?? 'Agent'} />
      ) : (
        <Waiting />
      )}
    </main>
  );
}

function Waiting() {
  useWindowTitle('Session');
  return (
    <div className="session-waiting">
      <h1 className="sr-only">Session</h1>
      <Skeleton lines={9} />
    </div>
  );
}

interface OpenSessionProps extends Pick<SessionView, 'place' | 'session' | 'agentName'> {}

function OpenSession({ place, session, agentName }: OpenSessionProps) {
  const search = route.useSearch();
  useWindowTitle(sessionName(session));
  const navigate = route.useNavigate();
  const { pages, version, opening } = useMessagePages(place);
  const listed = useQuery(memoriesQuery(place, search.asOf));
  const memories = listed.data?.memories ?? none;
  const memoriesByMessage = useMemo(() => groupByMessage(memories), [memories]);
  const [jump, setJump] = useState<Jump | undefined>(search.message ? { messageId: search.message, press: 0 } : undefined);
  const [forked, setForked] = useState<Message | 'whole'>();
  const end = useRef(() => {});

  const look = useCallback((next: SessionSearch) => void navigate({ search: next, resetScroll: false }), [navigate]);
  const filter = useCallback((next: SessionSearch) => void navigate({ search: next, replace: true, resetScroll: false }), [navigate]);
  const current = useRef({ search, memories });
  current.current = { search, memories };
  const scrollTo = useCallback((messageId: string) => setJump((before) => ({ messageId, press: (before?.press ?? 0) + 1 })), []);
  /** What of the address was gone to already: at the start a message, where it names one. */
  const goneTo = useRef(search.message === undefined ? undefined : subjectOf(search));
  const goToMessage = useCallback(
    (messageId: string) => {
      const next = { ...current.current.search, message: messageId };
      goneTo.current = subjectOf(next);
      if (current.current.search.message !== messageId) look(next);
      scrollTo(messageId);
    },
    [look, scrollTo],
  );
  const openMemory = useCallback(
    (memoryId: string | undefined) => {
      const { tab: _, message: __, memory: ___, ...rest } = current.current.search;
      const next = { ...rest, ...(memoryId && { memory: memoryId }) };
      look(next);
      const memory = current.current.memories.find(({ id }) => id === memoryId);
      if (!memory) return;
      goneTo.current = subjectOf(next);
      const source = sourcesOf(memory)[0];
      if (source) scrollTo(source);
    },
    [look, scrollTo],
  );
  const chosen = memories.find(({ id }) => id === search.memory);
  const marked = useMemo(
    () => new Set([...(chosen ? sourcesOf(chosen) : []), ...(search.message ? [search.message] : [])]),
    [chosen, search.message],
  );
  // The address may change from elsewhere: by Back, or by a hit of the palette. A memory is gone to once it is known.
  useEffect(() => {
    if (goneTo.current === subjectOf(search) || (search.memory && !search.message && !chosen)) return;
    goneTo.current = subjectOf(search);
    const messageId = search.message ?? (chosen && sourcesOf(chosen)[0]);
    if (messageId) scrollTo(messageId);
  }, [search, chosen, scrollTo]);

  // `version` is the state of the pages, which change in place.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const view = useMemo<SessionView>(
    () => ({
      ...{ place, session, agentName, pages, memories, memoriesByMessage, marked, search },
      ...{ look, filter, jump, goToMessage, openMemory },
    }),
    [place, session, agentName, pages, version, memories, memoriesByMessage, marked, search, look, filter, jump, goToMessage, openMemory],
  );
  return (
    <SessionViewProvider value={view}>
      <div className="split">
        <section className="split-main" aria-label="Messages">
          <SessionHead onFork={() => setForked('whole')} />
          {pages.isLoaded ? (
            <Thread onFork={setForked} endRef={end} />
          ) : (
            <div className="thread-frame session-waiting">
              {opening.error ? <ErrorNotice error={opening.error} onRetry={() => void opening.refetch()} /> : <Skeleton lines={9} />}
            </div>
          )}
          <Compose onSent={() => end.current()} />
        </section>
        <SessionSide memoryList={listed} />
      </div>
      <Suspense>{forked && <ForkDialog upTo={forked === 'whole' ? undefined : forked} onClose={() => setForked(undefined)} />}</Suspense>
    </SessionViewProvider>
  );
}

const none: readonly Memory[] = [];

/** What is looked at; a tab or a filter is how. */
const subjectOf = ({ message, memory }: SessionSearch) => `${message ?? ''} ${memory ?? ''}`;

function groupByMessage(memories: readonly Memory[]): ReadonlyMap<string, readonly Memory[]> {
  const groups = new Map<string, Memory[]>();
  for (const memory of memories) {
    // A summary is made of the whole session: a pin for it would be under every other message.
    if (memory.kind === 'summary') continue;
    for (const messageId of sourcesOf(memory)) {
      const group = groups.get(messageId);
      if (group) group.push(memory);
      else groups.set(messageId, [memory]);
    }
  }
  return groups;
}
