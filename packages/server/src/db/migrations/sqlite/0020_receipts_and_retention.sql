-- Forgetting: what was forgotten, and what is about to be.

-- Proof that a subject was forgotten. It stays, and names nothing of what is gone but the labels that were sent.
create table receipts (
  workspace_id text not null,
  id text not null,
  -- Null where it was asked of the whole workspace.
  agent_id text,
  labels text not null,
  counts text not null,
  -- SHA-256 over the sorted names of what was forgotten.
  digest text not null,
  -- The id of a user, or 'service' for what was forgotten by its age.
  made_by text not null,
  created_at text not null,
  primary key (workspace_id, id)
) strict;

-- Sessions that are gone and whose rows are not yet all gone, by what they are found when their subject is forgotten.
create table deleted_sessions (
  workspace_id text not null,
  session_id text not null,
  agent_id text not null,
  labels text not null,
  -- Messages and memories that it had: of small ones many go at once.
  items integer not null,
  primary key (workspace_id, session_id)
) strict;

-- Which answers that are kept for an Idempotency-Key tell of which session.
create table answers_of_sessions (
  workspace_id text not null,
  session_id text not null,
  scope text not null,
  key text not null,
  expires_at text not null,
  primary key (workspace_id, session_id, scope, key)
) strict, without rowid;
create index answers_of_sessions_by_expiry on answers_of_sessions (expires_at);

-- The agents whose sessions are forgotten by their age.
create table agent_retentions (
  workspace_id text not null,
  agent_id text not null,
  days integer not null,
  primary key (workspace_id, agent_id),
  foreign key (workspace_id, agent_id) references agents (workspace_id, id) on delete cascade
) strict, without rowid;

-- Sessions that are archived, by which they are left out where all of an agent is counted.
create table archived_sessions (
  workspace_id text not null,
  agent_id text not null,
  session_id text not null,
  primary key (workspace_id, agent_id, session_id),
  foreign key (workspace_id, session_id) references sessions (workspace_id, id) on delete cascade
) strict, without rowid;
create index archived_sessions_by_session on archived_sessions (workspace_id, session_id);
insert into archived_sessions (workspace_id, agent_id, session_id) select workspace_id, agent_id, id from sessions where status = 'archived';
