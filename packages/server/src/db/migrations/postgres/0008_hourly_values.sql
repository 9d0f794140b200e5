-- What happened in a workspace, hour by hour: counts, the buckets of a histogram, and how much of something there was. The service's own
-- bookkeeping, a plain table as usage_counters is: old hours are dropped for all workspaces at once.
create table hourly_values (
  workspace_id uuid not null,
  metric text not null,
  -- Since 1970, in UTC.
  hour integer not null,
  -- A kind, a status, a key, a bucket; empty where there is but one.
  part text not null,
  value bigint not null,
  primary key (workspace_id, metric, hour, part)
)
-- The rows of this hour are written every few seconds, and stay on their page.
with (fillfactor = 80);
create index hourly_values_by_hour on hourly_values (metric, hour);

-- What transactions leave to be added up later, at its end only: none of them waits for another's count.
create table pending_counts (
  position bigint generated always as identity primary key,
  workspace_id uuid not null,
  metric text not null,
  part text not null,
  value bigint not null,
  created_at timestamptz not null
);

-- How much there is in the workspaces that are there already.
insert into pending_counts (workspace_id, metric, part, value, created_at) select id, 'documents', '', 0, now() from workspaces;
insert into pending_counts (workspace_id, metric, part, value, created_at) select id, 'jobsWaiting', '', 0, now() from workspaces;
