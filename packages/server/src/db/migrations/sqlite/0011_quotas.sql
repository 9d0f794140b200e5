-- What one workspace may have where that differs from the service's default: null is the default, -1 is no limit.
create table workspace_quotas (
  workspace_id text primary key references workspaces (id) on delete cascade,
  messages integer,
  documents integer,
  bytes integer,
  requests_per_minute integer,
  updated_at text not null
) strict, without rowid;

-- How many requests each node has let through to a workspace since the node began. This engine has one node, and leaves it empty.
create table request_totals (
  workspace_id text not null,
  node_id text not null,
  total integer not null,
  updated_at text not null,
  primary key (workspace_id, node_id)
) strict, without rowid;
create index request_totals_by_age on request_totals (updated_at);

-- What the messages of a session take, and how many of them that is of. Where that differs from message_count (a session of an earlier
-- version) they are measured anew, in the background.
alter table sessions add column message_bytes integer;
alter table sessions add column measured_messages integer;
