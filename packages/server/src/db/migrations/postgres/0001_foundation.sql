-- The whole ground plan. Tenant tables carry workspace_id in every key (see docs/adr/0003), ids and times are
-- parameters, and nothing that can grow without bound hangs on a cascade: large deletions run in the background.

-- Found without knowing the workspace.

create table users (
  id uuid primary key,
  email text not null unique,
  name text not null,
  role text not null check (role in ('admin', 'user')),
  password_hash text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table dashboard_sessions (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  hash text not null unique,
  address text not null,
  user_agent text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null
);
create index dashboard_sessions_by_user on dashboard_sessions (user_id);
create index dashboard_sessions_by_expiry on dashboard_sessions (expires_at);

create table api_keys (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  name text not null,
  hash text not null unique,
  hint text not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index api_keys_by_user on api_keys (user_id, id);

create table workspaces (
  id uuid primary key,
  name text not null,
  handle text not null unique,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table memberships (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  id uuid not null,
  role text not null check (role in ('owner', 'admin', 'readonly')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, user_id)
);
create index memberships_by_user on memberships (user_id, workspace_id);

create table invites (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  email text not null,
  role text not null check (role in ('owner', 'admin', 'readonly')),
  token_hash text not null unique,
  status text not null check (status in ('pending', 'accepted', 'rejected', 'expired')),
  invited_by uuid not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id)
);
create unique index invites_one_pending on invites (workspace_id, email) where status = 'pending';
create index invites_by_email on invites (email, status);

create table access_keys (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  name text not null,
  permissions text not null,
  hash text not null unique,
  hint text not null,
  created_by uuid not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id)
);

-- The service's own bookkeeping: plain tables on the coordinator.

create table nodes (
  id uuid primary key,
  lease_until timestamptz not null,
  started_at timestamptz not null
);

create table idempotency_keys (
  scope text not null,
  key text not null,
  fingerprint text not null,
  status integer not null,
  answer text,
  made text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (scope, key)
);
create index idempotency_keys_by_expiry on idempotency_keys (expires_at);

create table jobs (
  id uuid primary key,
  kind text not null,
  -- At most one waiting job for a kind and key; null where every job counts.
  key text,
  workspace_id uuid,
  -- Who takes turns: each workspace, and the service itself as one more.
  lane uuid not null generated always as (coalesce(workspace_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff')) stored,
  payload text not null,
  -- Two states wait: 'ready' may run at once, 'scheduled' has its time, or a running job with its key, ahead of it.
  state text not null check (state in ('scheduled', 'ready', 'running', 'failed')),
  run_at timestamptz not null,
  -- How far a debounced job may be put off.
  run_by timestamptz,
  -- Failed ones so far.
  attempts integer not null,
  lease_until timestamptz,
  -- New at each claim, so that a run that lost its lease can't settle the next one.
  lease_owner uuid,
  last_error text,
  failed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
)
-- Rows come and go: the default waits for a fifth of the table to be dead.
with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_analyze_scale_factor = 0.02);
-- None of the ready ones by their time alone: PostgreSQL would read a lane by it, past every job of every other lane.
create index jobs_scheduled on jobs (run_at, id) where state = 'scheduled';
create index jobs_leased on jobs (lease_until) where state = 'running';
create index jobs_failed on jobs (failed_at) where state = 'failed';
create index jobs_in_turn on jobs (kind, lane, run_at, id) where state = 'ready';
create unique index jobs_one_waiting on jobs (kind, key) where state in ('scheduled', 'ready') and key is not null;
create index jobs_running_by_key on jobs (kind, key) where state = 'running' and key is not null;
create index jobs_by_workspace on jobs (workspace_id, kind);

create table usage_counters (
  workspace_id uuid not null,
  month text not null,
  calls bigint not null,
  primary key (workspace_id, month)
);

-- Tenant tables.

create table audits (
  workspace_id uuid not null,
  id uuid not null,
  action text not null,
  actor_type text not null,
  actor_id text not null,
  actor_name text not null,
  resource_type text not null,
  resource_id text not null,
  detail text not null,
  address text not null,
  request_id text not null,
  created_at timestamptz not null,
  primary key (workspace_id, id)
);
create index audits_by_action on audits (workspace_id, action, id);
create index audits_by_actor on audits (workspace_id, actor_id, id);

create table agents (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  handle text not null,
  description text not null,
  kind text not null,
  status text not null check (status in ('active', 'archived')),
  configs text not null,
  prompt_id uuid,
  kb_labels text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id)
);
create unique index agents_by_handle on agents (workspace_id, handle);
create index agents_by_prompt on agents (workspace_id, prompt_id);

create table sessions (
  workspace_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  external_id text not null,
  named boolean not null,
  -- The label set of a session that was made without an id; null for one made with an id, or without labels.
  unnamed_labels text,
  title text not null,
  status text not null check (status in ('active', 'archived')),
  labels text not null,
  labels_key text not null,
  meta text not null,
  -- Kept with each write, so that the total of a page costs nothing in a session of a million messages, and an index in
  -- memory knows from one row whether it is up to date: edits and deletions count as edits.
  message_count integer not null,
  message_edits integer not null,
  memory_count integer not null,
  memory_edits integer not null,
  last_activity_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id)
);
create unique index sessions_by_external_id on sessions (workspace_id, agent_id, external_id);
create unique index sessions_unnamed on sessions (workspace_id, agent_id, unnamed_labels);
create index sessions_by_labels on sessions (workspace_id, agent_id, labels_key, last_activity_at, id);
create index sessions_by_activity on sessions (workspace_id, agent_id, last_activity_at, id);

create table session_labels (
  workspace_id uuid not null,
  agent_id uuid not null,
  key text not null,
  value text not null,
  session_id uuid not null,
  primary key (workspace_id, agent_id, key, value, session_id),
  foreign key (workspace_id, session_id) references sessions (workspace_id, id) on delete cascade
);
create index session_labels_by_session on session_labels (workspace_id, session_id);

-- A message's id sorts by its time and then by the order of writing, so that one key serves look-ups, lists and cursors.
create table messages (
  workspace_id uuid not null,
  session_id uuid not null,
  id uuid not null,
  role text not null check (role in ('system', 'user', 'assistant')),
  content text not null,
  meta text not null,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, session_id, id)
);

create table memories (
  workspace_id uuid not null,
  session_id uuid not null,
  id uuid not null,
  kind text not null check (kind in ('summary', 'fact', 'preference', 'short_lived', 'long_lived')),
  content text not null,
  meta text not null,
  version integer not null,
  -- What a person or program wrote or changed is 'written': nothing but they take it away.
  source text not null check (source in ('written', 'extracted')),
  -- Of an extracted one: what it is the value of, and what the same said again is known by.
  slot text,
  fingerprint text,
  expires_at timestamptz,
  superseded_at timestamptz,
  -- Null where nothing took its place.
  superseded_by uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, session_id, id)
);

-- Which messages an extracted memory rests on: all those of one cause together, and any one cause will do.
create table memory_sources (
  workspace_id uuid not null,
  session_id uuid not null,
  message_id uuid not null,
  memory_id uuid not null,
  -- The last message that it took to say it.
  cause_id uuid not null,
  primary key (workspace_id, session_id, message_id, memory_id, cause_id)
);
create index memory_sources_by_memory on memory_sources (workspace_id, session_id, memory_id, cause_id, message_id);

-- What happened to a memory and does not show from its row.
create table memory_events (
  workspace_id uuid not null,
  session_id uuid not null,
  memory_id uuid not null,
  id uuid not null,
  event text not null check (event in ('edited', 'withdrawn')),
  message_id uuid,
  content text,
  created_at timestamptz not null,
  primary key (workspace_id, session_id, memory_id, id)
);

-- Messages that still have to be looked at for memories: written with the message, removed with what came of it.
create table extraction_queue (
  workspace_id uuid not null,
  session_id uuid not null,
  message_id uuid not null,
  created_at timestamptz not null,
  -- Given up, with the reason, until someone regenerates.
  failed_at timestamptz,
  error text,
  primary key (workspace_id, session_id, message_id)
);

create table extraction_states (
  workspace_id uuid not null,
  session_id uuid not null,
  -- Messages looked at.
  done integer not null,
  -- How many messages the session had when its summary was made.
  summarized integer not null,
  -- Failed ones in a row, and when to try again.
  attempts integer not null,
  last_error text,
  retry_at timestamptz,
  -- Set from the request to rebuild until it is done: nothing else is extracted meanwhile.
  regenerate_at timestamptz,
  -- Why the last rebuild was given up.
  regenerate_error text,
  updated_at timestamptz not null,
  primary key (workspace_id, session_id)
);
create index extraction_states_regenerating on extraction_states (regenerate_at) where regenerate_at is not null;

-- Tokens that a workspace had a language model read and write, by day.
create table llm_usage (
  workspace_id uuid not null,
  day text not null,
  tokens bigint not null,
  primary key (workspace_id, day)
);

create table prompts (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  -- By code points, as the embedded engine orders it.
  handle text collate "C" not null,
  description text not null,
  -- Highest number ever given, so that none is given twice.
  last_version integer not null,
  -- Single values here, so that there is exactly one latest and at most one production whoever writes at once.
  latest_version integer,
  production_version integer,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id)
);
create unique index prompts_by_handle on prompts (workspace_id, handle);
create index prompts_by_name on prompts (workspace_id, name);

create table prompt_versions (
  workspace_id uuid not null,
  prompt_id uuid not null,
  version integer not null,
  id uuid not null,
  type text not null check (type in ('text', 'chat')),
  content text not null,
  config text not null,
  labels text not null,
  meta text,
  commit_message text,
  commit_hash text not null,
  parent_hash text,
  status text not null check (status in ('active', 'archived')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, prompt_id, version),
  foreign key (workspace_id, prompt_id) references prompts (workspace_id, id) on delete cascade
);
create unique index prompt_versions_by_id on prompt_versions (workspace_id, id);

create table documents (
  workspace_id uuid not null,
  id uuid not null,
  title text not null,
  filename text not null,
  content_type text not null,
  checksum text not null,
  size_bytes integer not null,
  char_count integer not null,
  labels text not null,
  status text not null check (status in ('processing', 'indexed', 'failed')),
  error text,
  chunking_strategy text not null,
  chunk_size integer not null,
  chunk_overlap integer not null,
  chunks_total integer not null,
  chunks_indexed integer not null,
  revision integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id)
);
create index documents_by_status on documents (workspace_id, status, id);

create table document_contents (
  workspace_id uuid not null,
  document_id uuid not null,
  content bytea not null,
  primary key (workspace_id, document_id)
);

create table document_labels (
  workspace_id uuid not null,
  key text not null,
  value text not null,
  document_id uuid not null,
  primary key (workspace_id, key, value, document_id),
  foreign key (workspace_id, document_id) references documents (workspace_id, id) on delete cascade
);
create index document_labels_by_document on document_labels (workspace_id, document_id);

create table chunks (
  workspace_id uuid not null,
  document_id uuid not null,
  position integer not null,
  heading text not null,
  text text not null,
  start_offset integer not null,
  end_offset integer not null,
  primary key (workspace_id, document_id, position)
);

-- Vectors, int8 with a scale. The model stands with each, so that an old one serves while a new one is made.

create table vectors (
  workspace_id uuid not null,
  kind text not null check (kind in ('message', 'memory', 'chunk')),
  -- The session of a message or memory, the document of a chunk.
  scope_id uuid not null,
  item_id text not null,
  model text not null,
  vector bytea not null,
  primary key (workspace_id, kind, scope_id, item_id, model)
);

-- New messages in the order in which they came, until they are sorted into the queues: written at its end only.
create table arrivals (
  position bigint generated always as identity primary key,
  workspace_id uuid not null,
  session_id uuid not null,
  message_id uuid not null,
  extracts boolean not null,
  created_at timestamptz not null
);

-- What still needs a vector: written with the item, removed with the vector. Drained across workspaces, so a plain table.
create table embedding_queue (
  workspace_id uuid not null,
  kind text not null check (kind in ('message', 'memory')),
  scope_id uuid not null,
  item_id uuid not null,
  created_at timestamptz not null,
  primary key (workspace_id, kind, scope_id, item_id)
);

-- Moves whenever the searchable documents of a workspace change.
create table knowledge_revisions (
  workspace_id uuid primary key,
  revision integer not null
);

-- Which model the vectors are made with, and whether all of them are.
create table embedding_models (
  model text primary key,
  is_current boolean not null,
  is_complete boolean not null
);
