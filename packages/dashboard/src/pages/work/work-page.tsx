import type { JobCounts } from '@commonplace/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { client } from '../../api/client.ts';
import { jobKindNames, jobKinds } from '../../api/job-kinds.ts';
import { useCan } from '../../api/permissions.ts';
import { Button } from '../../design/button.tsx';
import { ErrorNotice } from '../../design/error-notice.tsx';
import { Empty, EmptyPage, Loaded } from '../../design/feedback.tsx';
import { Select } from '../../design/field.tsx';
import { formatCount, plural } from '../../design/numbers.ts';
import { Page, Pager, Table } from '../../design/page.tsx';
import { showToast } from '../../design/toast.tsx';
import { useListKeys } from '../../shell/list-keys.ts';
import { JobRow } from './job-row.tsx';
import { isHopeless, JOBS_ON_A_PAGE, jobsQuery, MOST_RETRIED, retryFailed } from './jobs.ts';
import { jobStatuses, readWorkSearch, type WorkChange, type WorkSearch } from './search-params.ts';
import './work.css';

const route = getRouteApi('/signed-in/w/$workspaceId/work');

const columns = ['For', 'Work', 'Status', { name: 'Attempts', end: true }, 'Next try', { name: 'Updated', end: true }];
const kindOptions = [{ value: '', label: 'Every kind' }, ...jobKinds.map((kind) => ({ value: kind, label: jobKindNames[kind] }))];

export function WorkPage() {
  const { workspaceId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const canRetry = useCan('CAN_CREATE_WORKSPACE_DOCUMENT');
  const query = useQuery(jobsQuery(workspaceId, search));
  const card = useRef<HTMLElement>(null);
  useListKeys(card);
  const change = (next: WorkChange) =>
    void navigate({ search: (before) => readWorkSearch({ ...before, ...next }), replace: true, resetScroll: false });
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId] });
  const retry = useMutation({ mutationFn: (jobId: string) => client.workspace(workspaceId).jobs.retry(jobId), onSettled: refresh });
  const retryAll = useMutation({
    mutationFn: () => retryFailed(workspaceId, search.kind),
    onSuccess: (count) =>
      showToast(`${plural(count, 'job')} tried again`, count === 0 ? { note: 'Documents without text fail each time.' } : {}),
    onSettled: refresh,
  });
  const counts = query.data?.counts;
  const failed = counts?.failed ?? 0;
  const hopeless = (query.data?.jobs ?? []).filter(isHopeless).length;
  return (
    <Page
      title="Background work"
      lede="What is done after the answer: documents are indexed, memories are drawn from messages, texts are embedded. What is done leaves this list."
      actions={
        canRetry &&
        failed > hopeless && (
          <Button icon="refresh" busy={retryAll.isPending && 'Retrying'} onClick={() => retryAll.mutate()}>
            {failed > MOST_RETRIED ? `Retry ${MOST_RETRIED} of ${formatCount(failed)} failed` : `Retry all failed`}
          </Button>
        )
      }
    >
      <div className="stack">
        <Counts workspaceId={workspaceId} counts={counts} search={search} />
        {retryAll.error && <ErrorNotice error={retryAll.error} />}
        {retry.error && <ErrorNotice error={retry.error} />}
        <section className="card" aria-label="Jobs" ref={card}>
          <div className="card-head">
            <h2 className="section-title">Jobs</h2>
            {query.data && <span className="muted small num">{formatCount(query.data._meta.total)}</span>}
            <div className="row push">
              <Select
                label="Kind"
                hideLabel
                className="auto"
                options={kindOptions}
                value={search.kind ?? ''}
                onChange={({ target }) => change({ kind: jobKinds.find((kind) => kind === target.value), offset: undefined })}
              />
            </div>
          </div>
          <Loaded query={query} skeletonLines={6}>
            {({ jobs }) =>
              jobs.length === 0 ? (
                <NoJobs search={search} onChange={change} />
              ) : (
                <Table label="Jobs" columns={columns}>
                  {jobs.map((job) => (
                    <JobRow
                      key={job.id}
                      workspaceId={workspaceId}
                      job={job}
                      retrying={retry.isPending && retry.variables === job.id}
                      onRetry={canRetry ? () => retry.mutate(job.id) : undefined}
                    />
                  ))}
                </Table>
              )
            }
          </Loaded>
          <Pager
            offset={search.offset ?? 0}
            limit={JOBS_ON_A_PAGE}
            total={query.data?._meta.total ?? 0}
            onMove={(offset) => change({ offset: offset || undefined })}
          />
        </section>
      </div>
    </Page>
  );
}

interface CountsProps {
  readonly workspaceId: string;
  readonly counts: JobCounts | undefined;
  readonly search: WorkSearch;
}

const statusNotes = { failed: 'given up until you retry', running: 'now', waiting: 'tried by themselves' } as const;

/** Each is a filter; the one that is set takes it off again. */
function Counts({ workspaceId, counts, search }: CountsProps) {
  return (
    <nav className="strip work-strip" aria-label="Jobs by status">
      {jobStatuses.map((status) => (
        <Link
          key={status}
          className="stat"
          to="/w/$workspaceId/work"
          params={{ workspaceId }}
          search={readWorkSearch({ kind: search.kind, status: search.status === status ? undefined : status })}
          aria-current={search.status === status ? 'true' : undefined}
          data-status={status}
          data-some={(counts?.[status] ?? 0) > 0 || undefined}
        >
          <span className="stat-label">{status[0]?.toUpperCase() + status.slice(1)}</span>
          <span className="stat-value">
            {counts ? formatCount(counts[status]) : '–'}
            {counts?.capped && '+'}
          </span>
          <span className="stat-note">{statusNotes[status]}</span>
        </Link>
      ))}
    </nav>
  );
}

function NoJobs({ search, onChange }: { readonly search: WorkSearch; readonly onChange: (next: WorkChange) => void }) {
  if (search.offset) return <EmptyPage icon="jobs" onFirst={() => onChange({ offset: undefined })} />;
  if (!search.status && !search.kind)
    return (
      <Empty icon="check" title="Nothing to do">
        No job waits, runs or failed. Uploads and new messages show here while they are worked on.
      </Empty>
    );
  const filters = [search.status && `is ${search.status}`, search.kind && `is of the kind “${jobKindNames[search.kind]}”`].filter(Boolean);
  return (
    <Empty
      icon="check"
      title="No job fits the filter"
      action={<Button onClick={() => onChange({ status: undefined, kind: undefined })}>Clear the filter</Button>}
    >
      None {filters.join(' and ')}.
    </Empty>
  );
}
