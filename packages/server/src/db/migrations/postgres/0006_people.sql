-- What the messages of a person say, in all sessions of an agent that are theirs. Their memories are made from it, topic by
-- topic: whatever comes or goes, in whatever order, ends in the same memories.
create table assertions (
  workspace_id uuid not null,
  -- That of the memory, too, where it begins a run: those in a row that say the same.
  id uuid not null,
  session_id uuid not null,
  person_id uuid not null,
  -- Of what has one value at a time, that; of anything else, what it says.
  topic_id uuid not null,
  -- The message that says it, and its place there: all is taken in this order.
  message_id uuid not null,
  ordinal integer not null,
  said_at timestamptz not null,
  -- What it says, only to be compared: nothing of a memory that was deleted can be read here.
  fingerprint_digest uuid not null,
  -- Null where it only ends what was said before; then the successor is what stands in its place, if anything.
  kind text,
  content text,
  slot text,
  extractor text,
  successor_id uuid,
  successor_topic_id uuid,
  -- The messages that it takes to say it, each with its session.
  sources text not null,
  expires_at timestamptz,
  -- Its memory was changed or deleted by hand: none is made of it.
  overridden boolean not null,
  -- Worked out from the others, so that a change reads its neighbours and not the topic: whether it begins a run, and of those
  -- that do when the run expires and how it ended. ended_topic_id is null where the successor is of the same topic.
  is_first boolean not null,
  run_expires_at timestamptz,
  ended_at timestamptz,
  ended_in uuid,
  ended_by uuid,
  ended_topic_id uuid,
  primary key (workspace_id, id)
);
create index assertions_by_topic on assertions (workspace_id, person_id, topic_id, message_id, ordinal, id) where content is not null;
create index assertions_that_end on assertions (workspace_id, person_id, topic_id, fingerprint_digest, message_id, ordinal, id) where content is null;
create index assertions_that_begin on assertions (workspace_id, person_id, topic_id, message_id, ordinal, id) where is_first;
create index assertions_by_person on assertions (workspace_id, person_id, message_id) where is_first;
create index assertions_by_session on assertions (workspace_id, session_id, message_id);
create index assertions_by_successor on assertions (workspace_id, ended_by) where ended_by is not null;
create index assertions_ended_elsewhere on assertions (workspace_id, person_id, ended_topic_id, ended_in, id) where ended_topic_id is not null;

-- Null where what rests on the message is of the same session, as nearly all is.
alter table memory_sources add column memory_session_id uuid;
create index memory_sources_elsewhere on memory_sources (workspace_id, session_id, memory_id) where memory_session_id is not null;

-- Whose the memories of the session are; null where they are the session's alone.
alter table extraction_states add column person_id uuid;

-- The newest of all sessions of an agent, and how many of them hold, without a look at the memories themselves. Null where the
-- session was deleted and its rows are about to go. Filling it reads and writes every memory once: minutes for ten million.
alter table memories add column agent_id uuid;
update memories m set agent_id = s.agent_id from sessions s where s.workspace_id = m.workspace_id and s.id = m.session_id;
create index memories_by_agent on memories (workspace_id, agent_id, id, session_id, kind, superseded_at, expires_at);
