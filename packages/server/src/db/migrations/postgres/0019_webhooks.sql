-- Where events are sent. Few rows, found without knowing the workspace when something is due.
create table webhooks (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  url text not null,
  -- A list; empty for all.
  types text not null,
  description text not null,
  status text not null check (status in ('active', 'disabled')),
  disabled_reason text,
  -- Signing needs the secret itself, unlike a check, for which a hash would do.
  secret text not null,
  former_secret text,
  former_secret_until timestamptz,
  -- The last event that deliveries were made of.
  after_seq bigint not null,
  last_success_at timestamptz,
  failing_since timestamptz,
  -- When there is something to do; null where there is nothing, or where it is disabled.
  due_at timestamptz,
  -- Who sends, and until when it is nobody else's.
  lease_owner uuid,
  lease_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id)
);
create index webhooks_by_due on webhooks (due_at) where due_at is not null;
create index webhooks_active on webhooks (workspace_id) where status = 'active';

-- What is sent, was sent or was given up. They name their event and hold no text of it.
create table webhook_deliveries (
  workspace_id uuid not null,
  webhook_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  -- Null for a test, which is no event of the workspace.
  seq bigint,
  type text not null,
  -- Those of one line go one after the other: a session, or what the event is about.
  line uuid not null,
  session_id uuid,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  -- Failed tries since it was last asked for.
  tries integer not null,
  attempts text not null,
  -- Of the first of its line that is pending; the others wait.
  due_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, webhook_id, id)
);
create index webhook_deliveries_by_due on webhook_deliveries (workspace_id, webhook_id, due_at) where due_at is not null;
create index webhook_deliveries_by_line on webhook_deliveries (workspace_id, webhook_id, line, seq) where status = 'pending';
create index webhook_deliveries_by_session on webhook_deliveries (workspace_id, session_id) where session_id is not null;
create index webhook_deliveries_by_time on webhook_deliveries (workspace_id, created_at);
