-- Every change in a workspace, recorded in its own transaction, until it is distributed: to the queues of the background where messages were
-- written, and to the events. Nodes of an earlier release write messages to `message_writes` as before, and what is there is distributed too.
create table outbox (
  position bigint generated always as identity primary key,
  workspace_id uuid not null,
  agent_id uuid,
  session_id uuid,
  type text not null,
  subject_id uuid,
  -- What the event says beside its subject.
  data text,
  -- Of a write of messages, a list of pairs: the id of a message, and 1 where memories are extracted from it.
  messages text,
  message_count integer not null default 0,
  created_at timestamptz not null
);

-- In the order of their commits, numbered within a workspace. They name what they are about and hold no text of it.
create table events (
  workspace_id uuid not null,
  seq bigint not null,
  type text not null,
  agent_id uuid,
  session_id uuid,
  subject_id uuid not null,
  data text,
  created_at timestamptz not null,
  primary key (workspace_id, seq)
);
create index events_by_session on events (workspace_id, session_id, seq) where session_id is not null;
create index events_by_type on events (workspace_id, type, seq) where type <> 'message.created';

-- The number of the last event of each workspace.
create table event_heads (
  workspace_id uuid primary key,
  last_seq bigint not null
);
