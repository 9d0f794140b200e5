-- What one workspace may have where that differs from the service's default: null is the default, -1 is no limit.
create table workspace_quotas (
  workspace_id uuid primary key references workspaces (id) on delete cascade,
  messages bigint,
  documents bigint,
  bytes bigint,
  requests_per_minute bigint,
  updated_at timestamptz not null
);

-- How many requests each node has let through to a workspace since the node began: what the others add to their own. The service's own
-- bookkeeping, a plain table as usage_counters is.
create table request_totals (
  workspace_id uuid not null,
  node_id uuid not null,
  total bigint not null,
  updated_at timestamptz not null,
  primary key (workspace_id, node_id)
);
create index request_totals_by_age on request_totals (updated_at);

-- What the messages of a session take, and how many of them that is of. Where that differs from message_count (a session of an earlier
-- version, or one that an earlier version wrote to since) they are measured anew, in the background.
alter table sessions add column message_bytes bigint;
alter table sessions add column measured_messages integer;
