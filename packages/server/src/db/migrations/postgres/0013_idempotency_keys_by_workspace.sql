-- Where the key was used, so that on Citus it is kept beside what it made; nil outside of a workspace. Nodes of an earlier version leave
-- it nil, and the primary key stays without it here: their statements name the key as it is.
alter table idempotency_keys add column workspace_id uuid not null default '00000000-0000-0000-0000-000000000000';
