-- Forgetting: what was forgotten, and what is about to be.

-- Proof that a subject was forgotten. It stays, and names nothing of what is gone but the labels that were sent.
create table receipts (
  workspace_id uuid not null,
  id uuid not null,
  -- Null where it was asked of the whole workspace.
  agent_id uuid,
  labels text not null,
  counts text not null,
  -- SHA-256 over the sorted names of what was forgotten.
  digest text not null,
  -- The id of a user, or 'service' for what was forgotten by its age.
  made_by text not null,
  created_at timestamptz not null,
  primary key (workspace_id, id)
);

-- Sessions that are gone and whose rows are not yet all gone, by what they are found when their subject is forgotten.
create table deleted_sessions (
  workspace_id uuid not null,
  session_id uuid not null,
  agent_id uuid not null,
  labels text not null,
  -- Messages and memories that it had: of small ones many go at once.
  items bigint not null,
  primary key (workspace_id, session_id)
);

-- Which answers that are kept for an Idempotency-Key tell of which session.
create table answers_of_sessions (
  workspace_id uuid not null,
  session_id uuid not null,
  scope text not null,
  key text not null,
  expires_at timestamptz not null,
  primary key (workspace_id, session_id, scope, key)
);
create index answers_of_sessions_by_expiry on answers_of_sessions (expires_at);

-- The agents whose sessions are forgotten by their age.
create table agent_retentions (
  workspace_id uuid not null,
  agent_id uuid not null,
  days integer not null,
  primary key (workspace_id, agent_id),
  foreign key (workspace_id, agent_id) references agents (workspace_id, id) on delete cascade
);

-- Sessions that are archived, by which they are left out where all of an agent is counted.
create table archived_sessions (
  workspace_id uuid not null,
  agent_id uuid not null,
  session_id uuid not null,
  primary key (workspace_id, agent_id, session_id),
  foreign key (workspace_id, session_id) references sessions (workspace_id, id) on delete cascade
);
create index archived_sessions_by_session on archived_sessions (workspace_id, session_id);
insert into archived_sessions (workspace_id, agent_id, session_id) select workspace_id, agent_id, id from sessions where status = 'archived';
