-- What happened in a workspace, hour by hour: counts, the buckets of a histogram, and how much of something there was.
create table hourly_values (
  workspace_id text not null,
  metric text not null,
  -- Since 1970, in UTC.
  hour integer not null,
  -- A kind, a status, a key, a bucket; empty where there is but one.
  part text not null,
  value integer not null,
  primary key (workspace_id, metric, hour, part)
) strict, without rowid;
create index hourly_values_by_hour on hourly_values (metric, hour);

-- What transactions leave to be added up later, at its end only: none of them waits for another's count.
create table pending_counts (
  position integer primary key autoincrement,
  workspace_id text not null,
  metric text not null,
  part text not null,
  value integer not null,
  created_at text not null
) strict;

-- How much there is in the workspaces that are there already.
insert into pending_counts (workspace_id, metric, part, value, created_at)
  select id, 'documents', '', 0, strftime('%Y-%m-%dT%H:%M:%fZ', 'now') from workspaces;
insert into pending_counts (workspace_id, metric, part, value, created_at)
  select id, 'jobsWaiting', '', 0, strftime('%Y-%m-%dT%H:%M:%fZ', 'now') from workspaces;
