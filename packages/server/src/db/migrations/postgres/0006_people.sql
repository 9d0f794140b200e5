-- What the messages of a person say, in all sessions of an agent that are theirs. Their memories are made from it, topic by
-- topic: whatever comes or goes, in whatever order, ends in the same memories.
create table assertions (
  workspace_id uuid not null,
  -- That of the memory, too, where it is the first of those in a row that say the same.
  id uuid not null,
  session_id uuid not null,
  person_id uuid not null,
  -- Of what has one value at a time, that; of anything else, what it says.
  topic_id uuid not null,
  -- The message that says it, and its place there: all is taken in this order.
  message_id uuid not null,
  ordinal integer not null,
  said_at timestamptz not null,
  fingerprint text not null,
  -- Null where it only ends what was said before; successor_id is what stands in its place, if anything.
  kind text,
  content text,
  slot text,
  extractor text,
  successor_id uuid,
  -- The messages that it takes to say it, each with its session.
  sources text not null,
  expires_at timestamptz,
  -- Its memory was changed or deleted by hand: none is made of it.
  settled boolean not null,
  primary key (workspace_id, id)
);
create index assertions_by_topic on assertions (workspace_id, person_id, topic_id, message_id, ordinal);
create index assertions_by_person on assertions (workspace_id, person_id, message_id);
create index assertions_by_session on assertions (workspace_id, session_id, message_id);
create index assertions_by_successor on assertions (workspace_id, successor_id) where successor_id is not null;

-- Null where what rests on the message is of the same session, as nearly all is.
alter table memory_sources add column memory_session_id uuid;
create index memory_sources_elsewhere on memory_sources (workspace_id, session_id, memory_id) where memory_session_id is not null;

-- Whose the memories of the session are; null where they are the session's alone.
alter table extraction_states add column person_id uuid;

-- The newest of many sessions.
create index memories_by_time on memories (workspace_id, id);
