import type { WorkspaceStats } from '@commonplace/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { client } from '../../api/client.ts';
import { statsQuery } from '../../api/queries.ts';
import { formatCount, plural } from '../../design/numbers.ts';
import { seriesQuery } from './queries.ts';
import type { Range } from './search-params.ts';
import { totalOf } from './series-data.ts';

interface CountsProps {
  readonly workspaceId: string;
  readonly days: Range;
}

const usageQuery = (workspaceId: string) => ({
  queryKey: ['workspace', workspaceId, 'usage'],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => client.workspaces.usage(workspaceId, { signal }),
  refetchInterval: 30_000,
});

/** What there is, each with a link to it. Its height is the same before the numbers come. */
export function CountsStrip({ workspaceId, days }: CountsProps) {
  const { data: stats } = useQuery(statsQuery(workspaceId));
  const { data: messages } = useQuery(seriesQuery(workspaceId, 'messages', days));
  const { data: memories } = useQuery(seriesQuery(workspaceId, 'memories', days));
  const { data: usage } = useQuery(usageQuery(workspaceId));
  const inRange = (series: typeof messages) => series && `${formatCount(totalOf(series))} new in ${days} days`;
  const limit = usage?.calls.limit;
  const share = limit ? `${Math.round(((usage?.calls.used ?? 0) / limit) * 100)}% of ${formatCount(limit)}` : undefined;
  const count = (name: keyof WorkspaceStats) => stats && formatCount(stats[name]);
  const to = { params: { workspaceId } };
  return (
    <div className="strip">
      <Link to="/w/$workspaceId/sessions" {...to} className="stat">
        <Stat label="Sessions" value={count('sessions')} note={stats && `of ${plural(stats.agents, 'agent')}`} />
      </Link>
      <Link to="/w/$workspaceId/sessions" {...to} className="stat">
        <Stat label="Messages" value={count('messages')} note={inRange(messages)} />
      </Link>
      <Link to="/w/$workspaceId/agents" {...to} className="stat">
        <Stat label="Memories" value={count('memories')} note={inRange(memories)} />
      </Link>
      <Link to="/w/$workspaceId/knowledge" {...to} className="stat">
        <Stat label="Documents" value={count('documents')} note={stats && plural(stats.chunks, 'chunk')} />
      </Link>
      <Link to="/w/$workspaceId/prompts" {...to} className="stat">
        <Stat label="Prompts" value={count('prompts')} />
      </Link>
      <Link to="/w/$workspaceId/settings" {...to} className="stat">
        <Stat label="Calls this month" value={count('callsThisMonth')} note={share} />
      </Link>
    </div>
  );
}

function Stat({ label, value, note }: { readonly label: string; readonly value: ReactNode; readonly note?: string | undefined }) {
  return (
    <>
      <span className="stat-label">{label}</span>
      <span className="stat-value">{value ?? '\u00a0'}</span>
      <span className="stat-note">{note ?? '\u00a0'}</span>
    </>
  );
}
