-- Sessions that an import is writing: their messages and memories are there, and nobody sees them until the session's own row is.
create table staged_sessions (
  workspace_id uuid not null,
  session_id uuid not null,
  -- Which import: new for each, so that two never write to one session.
  owner uuid not null,
  -- When it last wrote: one that stopped leaves what it wrote to the next, or to be removed.
  touched_at timestamptz not null,
  primary key (workspace_id, session_id)
);
