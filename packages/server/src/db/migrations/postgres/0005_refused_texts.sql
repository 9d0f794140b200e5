-- Texts that a model does not take: they are found by their words alone, until they are edited or the model changes.
create table refused_texts (
  workspace_id uuid not null,
  kind text not null check (kind in ('message', 'memory', 'chunk')),
  scope_id uuid not null,
  item_id text not null,
  model text not null,
  reason text not null,
  created_at timestamptz not null,
  primary key (workspace_id, kind, scope_id, item_id, model)
);
