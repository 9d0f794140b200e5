-- What is kept of search indexes: built once, read back in bulk.

-- One row a scope: which segments it consists of, and what was known of its sessions or documents when it was saved.
create table search_snapshots (
  workspace_id uuid not null,
  scope text not null,
  -- Goes up by one with each change, so that two nodes that save at once do not mix.
  number integer not null,
  kind text not null check (kind in ('message', 'memory', 'chunk')),
  model text not null,
  -- The session or the agent that it is about, if it is about one.
  session_id uuid,
  agent_id uuid,
  items integer not null,
  bytes bigint not null,
  manifest text not null,
  saved_at timestamptz not null,
  used_at timestamptz not null,
  primary key (workspace_id, scope)
);
create index search_snapshots_by_use on search_snapshots (used_at);

-- Parts of indexes, which change only where items are erased. One that no snapshot names is being written, or is to go.
create table search_segments (
  workspace_id uuid not null,
  id uuid not null,
  scope text not null,
  is_used boolean not null default false,
  created_at timestamptz not null,
  primary key (workspace_id, id)
);
create index search_segments_by_scope on search_segments (workspace_id, scope);

create table search_pages (
  workspace_id uuid not null,
  segment_id uuid not null,
  kind smallint not null,
  number integer not null,
  bytes bytea not null,
  primary key (workspace_id, segment_id, kind, number)
);

-- Items that were edited or deleted; an empty id means all of a session or document. `edits` is what their session counts after it.
create table changed_items (
  workspace_id uuid not null,
  kind text not null check (kind in ('message', 'memory', 'chunk')),
  scope_id uuid not null,
  edits bigint not null,
  item_id text not null,
  -- Whether they are in no segment any more.
  is_cleared boolean not null default false,
  -- Goes up when something is saved that may hold them still: only who has seen it may say that they are cleared.
  saves integer not null default 0,
  -- By a comparison, and not by who changed it: there may be more with that number.
  is_found boolean not null default false,
  changed_at timestamptz not null,
  primary key (workspace_id, kind, scope_id, edits, item_id)
);
create index changed_items_to_clear on changed_items (workspace_id) where not is_cleared;
create index changed_items_by_time on changed_items (workspace_id, kind, changed_at);
-- Vectors and packed lists do not compress.
alter table search_pages alter column bytes set storage external;
