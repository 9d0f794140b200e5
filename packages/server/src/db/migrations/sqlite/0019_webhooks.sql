-- Where events are sent. Few rows, found without knowing the workspace when something is due.
create table webhooks (
  workspace_id text not null references workspaces (id) on delete cascade,
  id text not null,
  url text not null,
  -- A list; empty for all.
  types text not null,
  description text not null,
  status text not null check (status in ('active', 'disabled')),
  disabled_reason text,
  -- Signing needs the secret itself, unlike a check, for which a hash would do.
  secret text not null,
  former_secret text,
  former_secret_until text,
  -- The last event that deliveries were made of.
  after_seq integer not null,
  last_success_at text,
  failing_since text,
  -- When there is something to do; null where there is nothing, or where it is disabled.
  due_at text,
  -- Who sends, and until when it is nobody else's.
  lease_owner text,
  lease_until text,
  created_at text not null,
  updated_at text not null,
  primary key (workspace_id, id)
) strict;
create index webhooks_by_due on webhooks (due_at) where due_at is not null;
create index webhooks_active on webhooks (workspace_id) where status = 'active';

-- What is sent, was sent or was given up. They name their event and hold no text of it.
create table webhook_deliveries (
  workspace_id text not null,
  webhook_id text not null,
  id text not null,
  event_id text not null,
  -- Null for a test, which is no event of the workspace.
  seq integer,
  type text not null,
  -- Those of one line go one after the other: a session, or what the event is about.
  line text not null,
  session_id text,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  -- Failed tries since it was last asked for.
  tries integer not null,
  attempts text not null,
  -- Of the first of its line that is pending; the others wait.
  due_at text,
  created_at text not null,
  updated_at text not null,
  primary key (workspace_id, webhook_id, id)
) strict;
create index webhook_deliveries_by_due on webhook_deliveries (workspace_id, webhook_id, due_at) where due_at is not null;
create index webhook_deliveries_by_line on webhook_deliveries (workspace_id, webhook_id, line, seq) where status = 'pending';
create index webhook_deliveries_by_session on webhook_deliveries (workspace_id, session_id) where session_id is not null;
create index webhook_deliveries_by_time on webhook_deliveries (workspace_id, created_at);
