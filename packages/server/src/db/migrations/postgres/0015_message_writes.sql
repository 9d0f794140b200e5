-- New messages until they are distributed to the queues, a row for each write and not for each message. A node of an earlier release
-- writes to `new_messages` as before, and what is there is distributed too.
create table message_writes (
  position bigint generated always as identity primary key,
  workspace_id uuid not null,
  session_id uuid not null,
  -- A list of pairs: the id of a message, and 1 where memories are extracted from it.
  messages text not null,
  message_count integer not null,
  created_at timestamptz not null
);
