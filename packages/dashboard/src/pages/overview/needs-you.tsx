import type { AccessKey, Document, Job } from '@commonplace/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { jobKindNames } from '../../api/job-kinds.ts';
import { roleCan } from '../../api/permissions.ts';
import { workspaceQuery } from '../../api/queries.ts';
import { Badge } from '../../design/badge.tsx';
import { Skeleton } from '../../design/feedback.tsx';
import { Icon } from '../../design/icon.tsx';
import { Card } from '../../design/page.tsx';
import { Time } from '../../design/time.tsx';
import { expiringKeysQuery, failedDocumentsQuery, jobsQuery } from './queries.ts';

const MOST_SHOWN = 8;

/** Documents and jobs that failed, keys that end soon; all of it, or nothing yet. */
export function useNeeds(workspaceId: string) {
  const { data: workspace } = useQuery(workspaceQuery(workspaceId));
  const mayListKeys = workspace !== undefined && roleCan(workspace.role, 'CAN_LIST_WORKSPACE_ACCESS_KEYS');
  const documents = useQuery(failedDocumentsQuery(workspaceId));
  const jobs = useQuery(jobsQuery(workspaceId));
  const keys = useQuery({ ...expiringKeysQuery(workspaceId), enabled: mayListKeys });
  const known = workspace !== undefined && documents.isFetched && jobs.isFetched && (keys.isFetched || !mayListKeys);
  return { documents, jobs, keys, known };
}

/** What somebody has to see to. */
export function NeedsYou({ workspaceId }: { readonly workspaceId: string }) {
  const { documents, jobs, keys, known } = useNeeds(workspaceId);
  // A document that failed says so itself.
  const failedJobs = (jobs.data?.jobs ?? []).filter(({ status, kind }) => status === 'failed' && kind !== 'index-document');
  const failed = documents.data?.data ?? [];
  const items = [
    ...failed.map((document) => <FailedDocument key={document.id} workspaceId={workspaceId} document={document} />),
    ...failedJobs.map((job) => <FailedJob key={job.id} workspaceId={workspaceId} job={job} />),
    ...(keys.data ?? []).map((key) => <ExpiringKey key={key.id} workspaceId={workspaceId} accessKey={key} />),
  ];
  const total = items.length - failed.length + (documents.data?.meta.total ?? 0);
  return (
    <Card title="Needs you" flush aside={total > 0 && <Badge>{`${total}`}</Badge>}>
      <div className="list">
        {!known && <Skeleton lines={2} />}
        {known && items.length === 0 && (
          <div className="soft">Nothing. Documents and jobs that fail, and keys that end soon, come here.</div>
        )}
        {known && items.slice(0, MOST_SHOWN)}
      </div>
    </Card>
  );
}

interface ItemProps {
  readonly tone: 'danger' | 'warn';
  readonly children: ReactNode;
  readonly note: ReactNode;
}

function Item({ tone, children, note }: ItemProps) {
  return (
    <div>
      <Icon name={tone === 'danger' ? 'alert' : 'clock'} className={`overview-${tone}`} />
      <div className="grow prose">
        {children}
        <div className="muted small overview-why">{note}</div>
      </div>
    </div>
  );
}

function FailedDocument({ workspaceId, document }: { readonly workspaceId: string; readonly document: Document }) {
  return (
    <Item tone="danger" note={document.error ?? 'No reason was given.'}>
      <Link to="/w/$workspaceId/knowledge/$documentId" params={{ workspaceId, documentId: document.id }} dir="auto">
        {document.title}
      </Link>{' '}
      could not be indexed.
    </Item>
  );
}

function FailedJob({ workspaceId, job }: { readonly workspaceId: string; readonly job: Job }) {
  return (
    <Item tone="danger" note={job.error ?? 'No reason was given.'}>
      {jobKindNames[job.kind]} failed for{' '}
      <Link to="/w/$workspaceId/work" params={{ workspaceId }} dir="auto">
        {job.subject.title || job.subject.id}
      </Link>
      .
    </Item>
  );
}

function ExpiringKey({ workspaceId, accessKey }: { readonly workspaceId: string; readonly accessKey: AccessKey }) {
  const { name, expiresAt, lastUsedAt } = accessKey;
  const ended = Date.parse(expiresAt ?? '') < Date.now();
  const note = lastUsedAt ? (
    <>
      Last used <Time at={lastUsedAt} />.
    </>
  ) : (
    'It was never used.'
  );
  return (
    <Item tone="warn" note={note}>
      Key{' '}
      <Link to="/w/$workspaceId/keys" params={{ workspaceId }} dir="auto">
        {name}
      </Link>{' '}
      {ended ? 'expired ' : 'expires '}
      <Time at={expiresAt ?? ''} />.
    </Item>
  );
}
