-- The agents that a key is limited to, as a list of ids; null where it reaches all of its workspace.
alter table access_keys add column agent_ids text;
