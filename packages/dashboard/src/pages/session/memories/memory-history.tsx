import type { Memory, MemoryEvent } from '@commonplace/client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Badge } from '../../../design/badge.tsx';
import { Loaded } from '../../../design/feedback.tsx';
import { formatExact } from '../../../design/time.tsx';
import { nameMoment } from '../conversation/days.ts';
import { historyQuery } from '../session-queries.ts';
import { useSessionView } from '../session-view.ts';
import { describeHistory } from './describe-history.ts';
import { MessageLink } from './message-link.tsx';

const words: Readonly<Record<MemoryEvent['event'], string>> = {
  created: 'Said in',
  repeated: 'Said again in',
  edited: 'Changed by hand',
  superseded: 'Replaced, because a newer message says otherwise',
  withdrawn: 'Withdrawn',
  expired: 'Expired',
};

/** What happened to it and to what it took the place of, the newest on top. */
export function MemoryHistory({ memory }: { readonly memory: Memory }) {
  const { place } = useSessionView();
  const history = useQuery(historyQuery(place, memory));
  const part = useRef<HTMLDivElement>(null);
  const loaded = history.data !== undefined;
  useEffect(() => {
    if (loaded) part.current?.closest('.memory-item')?.scrollIntoView({ block: 'nearest' });
  }, [loaded]);
  return (
    <div ref={part} className="stack tight">
      <h2 className="eyebrow">History</h2>
      <Loaded query={history} skeletonLines={2}>
        {(events) => (
          <ol className="timeline">
            {describeHistory(events, memory.id).map(({ event, said, ended, now }) => (
              <li key={`${event.event} ${event.memoryId} ${event.at} ${event.messageId}`} data-now={now || undefined}>
                <span className="as-written clamp-4" dir="auto">
                  {ended ? <s>{said}</s> : said} {now && <Badge tone="ok">holds now</Badge>}
                </span>
                <span className="when" title={formatExact(event.at)}>
                  {nameMoment(event.at)}. <Cause event={event} />
                </span>
              </li>
            ))}
          </ol>
        )}
      </Loaded>
    </div>
  );
}

function Cause({ event }: { readonly event: MemoryEvent }) {
  const said = event.event === 'created' || event.event === 'repeated';
  if (said && event.messageId === null) return event.event === 'created' ? 'Written by hand' : 'Said again';
  return (
    <>
      {event.reason === 'forgotten' ? 'Forgotten, because the user asked for it' : words[event.event]}
      {event.messageId !== null && (
        <>
          {said ? ' ' : ', in '}
          <MessageLink messageId={event.messageId} />
        </>
      )}
    </>
  );
}
