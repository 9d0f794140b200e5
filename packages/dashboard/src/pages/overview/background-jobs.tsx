import type { JobCounts } from '@commonplace/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Badge } from '../../design/badge.tsx';
import { Loaded } from '../../design/feedback.tsx';
import { formatCount } from '../../design/numbers.ts';
import { Card } from '../../design/page.tsx';
import { jobsQuery } from './queries.ts';

/** How much waits, runs and failed, now. */
export function BackgroundJobs({ workspaceId }: { readonly workspaceId: string }) {
  const query = useQuery(jobsQuery(workspaceId));
  const all = (
    <Link to="/w/$workspaceId/work" params={{ workspaceId }}>
      All jobs
    </Link>
  );
  return (
    <Card title="Background jobs" aside={all} flush>
      <Loaded query={query} skeletonLines={3}>
        {({ counts }) => (
          <div className="list">
            <Line name="Waiting" counts={counts} count={counts.waiting} />
            <Line name="Running" counts={counts} count={counts.running} />
            <Line name="Failed" counts={counts} count={counts.failed} danger />
          </div>
        )}
      </Loaded>
    </Card>
  );
}

interface LineProps {
  readonly name: string;
  readonly counts: JobCounts;
  readonly count: number;
  readonly danger?: boolean;
}

function Line({ name, counts, count, danger }: LineProps) {
  // Counting ends at a thousand of a kind.
  const text = formatCount(count) + (counts.capped && count >= 1_000 ? ' or more' : '');
  return (
    <div className="row">
      <span>{name}</span>
      <span className="push num">{danger && count > 0 ? <Badge tone="danger">{text}</Badge> : text}</span>
    </div>
  );
}
