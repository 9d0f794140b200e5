import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { statsQuery } from '../../api/queries.ts';
import { Empty } from '../../design/feedback.tsx';
import { Card, Page } from '../../design/page.tsx';
import { Segmented } from '../../design/tabs.tsx';
import { FirstSteps } from '../../example-data/first-steps.tsx';
import { BackgroundJobs } from './background-jobs.tsx';
import { CountsStrip } from './counts-strip.tsx';
import { NeedsYou, useNeeds } from './needs-you.tsx';
import { Plot } from './plot.tsx';
import { recentSessionsQuery } from './queries.ts';
import { RecentSessions } from './recent-sessions.tsx';
import { DEFAULT_RANGE, type Range, ranges } from './search-params.ts';
import './overview.css';

const route = getRouteApi('/signed-in/w/$workspaceId/');
const rangeItems = ranges.map((days) => ({ value: `${days}` as const, label: `${days} days` }));

/** Is it working, and does it need me? */
export function OverviewPage() {
  const { workspaceId } = route.useParams();
  const { days = DEFAULT_RANGE } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: stats } = useQuery(statsQuery(workspaceId));
  // What stands below them comes after them, and so never moves.
  const { isFetched: sessionsKnown } = useQuery(recentSessionsQuery(workspaceId));
  const known = useNeeds(workspaceId).known && sessionsKnown;
  const choose = (value: `${Range}`) => {
    const next = ranges.find((range) => value === `${range}` && range !== DEFAULT_RANGE);
    void navigate({ search: next ? { days: next } : {}, replace: true, resetScroll: false });
  };
  const unused = stats !== undefined && stats.sessions + stats.documents + stats.prompts === 0;
  if (unused) return <EmptyOverview workspaceId={workspaceId} />;
  const of = { workspaceId, days };
  return (
    <Page
      title="Overview"
      lede={`What your agents kept and asked for in the last ${days} days.`}
      actions={<Segmented label="Time range" items={rangeItems} value={`${days}`} onChange={choose} />}
    >
      <div className="stack">
        <CountsStrip {...of} />
        <div className="overview-plots">
          <Plot {...of} metric="calls" title="API calls a day" label="Calls" form="bars" nothing="No calls in these days." />
          <Plot {...of} metric="memories" title="Memories a day" label="Memories" form="bars" nothing="No memories in these days." />
        </div>
        <div className="columns early">
          <RecentSessions workspaceId={workspaceId} />
          <div className="stack">
            <NeedsYou workspaceId={workspaceId} />
            {known && <BackgroundJobs workspaceId={workspaceId} />}
          </div>
        </div>
        {known && <MorePlots {...of} />}
      </div>
    </Page>
  );
}

function MorePlots(of: { readonly workspaceId: string; readonly days: Range }) {
  return (
    <>
      <div className="overview-plots">
        <Plot {...of} metric="messages" title="Messages a day" label="Messages" form="lines" nothing="No messages in these days." />
        <Plot {...of} metric="searches" title="Searches a day" label="Searches" form="bars" nothing="No searches in these days." />
      </div>
      <div className="overview-plots three">
        <Plot
          {...of}
          metric="searchLatency"
          title="How long searches take"
          label="Median"
          form="lines"
          nothing="No searches in these days."
        />
        <Plot
          {...of}
          metric="documents"
          title="Documents by status"
          label="Documents"
          form="bars"
          nothing="No documents were counted in these days."
        />
        <Plot {...of} metric="jobsWaiting" title="Jobs waiting" label="Waiting" form="lines" nothing="Nothing waited in these days." />
      </div>
    </>
  );
}

/** A workspace in which nothing happened yet. */
function EmptyOverview({ workspaceId }: { readonly workspaceId: string }) {
  return (
    <Page title="Overview">
      <Card>
        <Empty icon="overview" title="An empty book" action={<FirstSteps workspaceId={workspaceId} />}>
          Connect your first agent in five minutes, or fill this workspace with example data to look around.
        </Empty>
      </Card>
    </Page>
  );
}
