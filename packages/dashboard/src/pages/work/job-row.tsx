import type { Job } from '@commonplace/client';
import { Link } from '@tanstack/react-router';
import { jobKindNames } from '../../api/job-kinds.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { formatCount } from '../../design/numbers.ts';
import { Time } from '../../design/time.tsx';
import { asSentence } from '../knowledge/hopeless.ts';
import { isHopeless } from './jobs.ts';

const tones = { failed: 'danger', running: 'accent', waiting: 'outline' } as const;
export const JOB_COLUMNS = 6;

interface JobRowProps {
  readonly workspaceId: string;
  readonly job: Job;
  readonly retrying: boolean;
  /** Undefined for those who may not. */
  readonly onRetry: (() => void) | undefined;
}

export function JobRow({ workspaceId, job, retrying, onRetry }: JobRowProps) {
  const { kind, status, attempts, error, updatedAt } = job;
  const name = job.subject.title || job.subject.id;
  return (
    <>
      <tr className={error ? 'has-detail' : undefined}>
        <td className="job-cell">
          <SubjectLink workspaceId={workspaceId} job={job} />
        </td>
        <td className="nowrap">{jobKindNames[kind]}</td>
        <td>
          <Badge tone={tones[status]} {...(status === 'running' && { dot: 'live' as const })}>
            {status}
          </Badge>
        </td>
        <td className="end">
          {formatCount(attempts)}
          <span className="phone-only"> {attempts === 1 ? 'attempt' : 'attempts'}</span>
        </td>
        <td className="nowrap">
          <JobTime job={job} />
        </td>
        <td className="end nowrap">
          <span className="row job-end">
            <Time at={updatedAt} />
            {status === 'failed' && !isHopeless(job) && onRetry && (
              <Button small icon="refresh" aria-label={`Retry job of ${name}`} busy={retrying && 'Retrying'} onClick={onRetry}>
                Retry job
              </Button>
            )}
          </span>
        </td>
      </tr>
      {error && (
        <tr className="detail">
          <td colSpan={JOB_COLUMNS}>
            <p className={status === 'failed' ? 'job-reason failed' : 'job-reason'} dir="auto">
              {isHopeless(job) ? `${asSentence(error)} Trying again can’t help: replace or delete the document.` : error}
            </p>
          </td>
        </tr>
      )}
    </>
  );
}

function SubjectLink({ workspaceId, job: { subject } }: { readonly workspaceId: string; readonly job: Job }) {
  const name = subject.title || subject.id;
  const { agentId } = subject;
  const kind = subject.type === 'document' ? 'document' : 'session';
  const title = (
    <>
      <span className="title clamp-2" dir="auto">
        {name}
      </span>
      <span className="muted small">{kind}</span>
    </>
  );
  if (subject.type === 'document')
    return (
      <Link className="job-subject" data-stop to="/w/$workspaceId/knowledge/$documentId" params={{ workspaceId, documentId: subject.id }}>
        {title}
      </Link>
    );
  if (agentId === undefined) return <span className="job-subject">{title}</span>;
  return (
    <Link
      className="job-subject"
      data-stop
      to="/w/$workspaceId/agents/$agentId/sessions/$sessionId"
      params={{ workspaceId, agentId, sessionId: subject.sessionId ?? subject.id }}
    >
      {title}
    </Link>
  );
}

/** When it goes on, or since when it does. */
function JobTime({ job }: { readonly job: Job }) {
  const { status, runAt, startedAt } = job;
  if (status === 'running' && startedAt)
    return (
      <>
        since <Time at={startedAt} />
      </>
    );
  if (status === 'waiting') return runAt && Date.parse(runAt) > Date.now() ? <Time at={runAt} /> : 'next in line';
  return <span className="muted">{isHopeless(job) ? 'never' : 'when you retry'}</span>;
}
