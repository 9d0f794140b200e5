import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { client } from '../../api/client.ts';
import { KindBadge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { ErrorNotice } from '../../design/error-notice.tsx';
import { Icon } from '../../design/icon.tsx';
import { type Arrival, arrivalQuery } from './arrival.ts';
import { firstMessage } from './snippets.ts';

interface LiveCheckProps {
  readonly workspaceId: string;
  readonly agentId: string;
  /** Whether this person may write messages, and so have one sent. */
  readonly canSend: boolean;
  readonly memoryPipeline: boolean;
}

/** Says by itself when the first message has come, and what was remembered of it. */
export function LiveCheck({ workspaceId, agentId, canSend, memoryPipeline }: LiveCheckProps) {
  const { data: arrival, error } = useQuery(arrivalQuery(workspaceId, agentId));
  const queryClient = useQueryClient();
  const send = useMutation({
    mutationFn: async () => {
      const { sessions, messages } = client.workspace(workspaceId);
      const session = await sessions.open(agentId, { id: firstMessage.sessionId });
      await messages.create(agentId, session.id, { role: 'user', content: firstMessage.content });
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId] }),
  });
  return (
    <div className="stack tight">
      <div className="live-check" role="status" data-done={arrival ? true : undefined}>
        {arrival ? (
          <Arrived arrival={arrival} workspaceId={workspaceId} memoryPipeline={memoryPipeline} />
        ) : (
          <>
            <span className="spinner live-spinner" aria-hidden="true" />
            <div className="grow">
              <div className="title">Waiting for your first message</div>
              <div className="soft small">
                Listening for <Elapsed />. There is nothing to reload.
              </div>
            </div>
          </>
        )}
        {!arrival && canSend && (
          <Button small busy={send.isPending && 'Sending'} onClick={() => send.mutate()}>
            Send it for me
          </Button>
        )}
      </div>
      {send.error && <ErrorNotice error={send.error} />}
      {error && !arrival && <ErrorNotice error={error} />}
    </div>
  );
}

interface ArrivedProps {
  readonly arrival: Arrival;
  readonly workspaceId: string;
  readonly memoryPipeline: boolean;
}

function Arrived({ arrival: { session, message, memory }, workspaceId, memoryPipeline }: ArrivedProps) {
  return (
    <>
      <Icon name="check" />
      <div className="grow stack arrived">
        <div className="title">Your first {message ? 'message' : 'memory'} has arrived</div>
        {message && (
          <div className="soft clamp-2" dir="auto">
            {message.content}
          </div>
        )}
        {memory ? (
          <div className="row wrap">
            <span>
              {message && 'and it remembered: '}
              <bdi>{memory.content}</bdi>
            </span>
            <KindBadge kind={memory.kind} />
          </div>
        ) : (
          <div className="soft small">
            {memoryPipeline
              ? 'Looking for what is worth remembering.'
              : 'Memory extraction is off for this agent, so nothing is remembered by itself.'}
          </div>
        )}
      </div>
      <Link
        to="/w/$workspaceId/agents/$agentId/sessions/$sessionId"
        params={{ workspaceId, agentId: session.agentId, sessionId: session.id }}
      >
        See the session
      </Link>
    </>
  );
}

/** Not read aloud: it changes each second, and says nothing new. */
function Elapsed() {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <span className="num" aria-hidden="true">
      {Math.floor(seconds / 60)}:{String(seconds % 60).padStart(2, '0')}
    </span>
  );
}
