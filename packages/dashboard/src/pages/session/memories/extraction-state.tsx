import type { ExtractionStatus } from '@commonplace/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../../design/button.tsx';
import { Dialog } from '../../../design/dialog.tsx';
import { Notice, Progress } from '../../../design/feedback.tsx';
import { formatCount, plural } from '../../../design/numbers.ts';
import { Time } from '../../../design/time.tsx';
import { useRefreshSession } from '../conversation/message-changes.ts';
import { extractionQuery } from '../session-queries.ts';
import { useSessionView } from '../session-view.ts';
import { MessageLink } from './message-link.tsx';

/** How far messages were read for memories: "10 of 10 read", with what failed behind it. */
export function ExtractionState() {
  const { place } = useSessionView();
  const { data: state } = useQuery(extractionQuery(place));
  const [failuresShown, setFailuresShown] = useState(false);
  const refresh = useRefreshSession();
  const working = state !== undefined && (state.pending > 0 || state.regenerating);
  const worked = useRef(false);
  useEffect(() => {
    // What was made in the meantime is shown at once.
    if (worked.current && !working) void refresh();
    worked.current = working;
  }, [working, refresh]);
  return (
    <div className="grow small muted extraction" role="status">
      {state && <ExtractionLine state={state} />}
      {state && (state.failed > 0 || state.lastError !== null) && (
        <Button small variant="danger" icon="alert" onClick={() => setFailuresShown(true)}>
          {state.failed > 0 ? `${formatCount(state.failed)} failed` : 'Failed'}
        </Button>
      )}
      {state && failuresShown && <FailuresDialog state={state} onClose={() => setFailuresShown(false)} />}
    </div>
  );
}

function ExtractionLine({ state }: { readonly state: ExtractionStatus }) {
  const { place } = useSessionView();
  const all = state.done + state.pending + state.failed;
  if (state.pending > 0 || state.regenerating) {
    return (
      <span className="stack tight extraction-progress">
        <span>
          {state.regenerating ? 'Regenerating' : 'Reading'}
          {state.pending > 0 && `, ${plural(state.pending, 'message')} left`}
        </span>
        <Progress
          label={state.regenerating ? 'Regenerating memories' : 'Reading messages'}
          value={state.pending > 0 && all > state.pending ? (all - state.pending) / all : undefined}
        />
      </span>
    );
  }
  if (!state.enabled && all === 0) {
    return (
      <p>
        Memories are off for{' '}
        <Link
          to="/w/$workspaceId/agents/$agentId"
          params={{ workspaceId: place.workspaceId, agentId: place.agentId }}
          // Without a class of its own it is underlined, as links in text are.
          activeProps={{}}
        >
          this agent
        </Link>
      </p>
    );
  }
  return (
    <span className="nowrap">
      {formatCount(state.done)} of {plural(all, 'message')} read
    </span>
  );
}

function FailuresDialog({ state, onClose }: { readonly state: ExtractionStatus; readonly onClose: () => void }) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={state.failed > 0 ? `${plural(state.failed, 'message')} could not be read` : 'The last try failed'}
      lede="“Regenerate memories” tries them again."
    >
      {state.lastError && (
        <Notice tone="danger" icon="alert">
          <strong>{state.lastError}</strong>
          {state.retryAt && (
            <>
              {' '}
              It is tried again <Time at={state.retryAt} />.
            </>
          )}
        </Notice>
      )}
      {state.failures.length > 0 && (
        <ul className="stack tight">
          {state.failures.map(({ messageId, error, failedAt }) => (
            <li key={messageId}>
              <MessageLink messageId={messageId} />: {error} <Time at={failedAt} className="muted small" />
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
