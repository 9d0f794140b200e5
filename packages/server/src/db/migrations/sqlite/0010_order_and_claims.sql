-- The newest message of a session, which later ones sort after. Null where no process that keeps it has written one yet.
alter table sessions add column newest_message_id text;

-- One process has all of the queue here: nothing is claimed.
alter table embedding_queue add column claimed_until text;
