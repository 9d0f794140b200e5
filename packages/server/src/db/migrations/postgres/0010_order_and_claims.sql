-- The newest message of a session, which later ones sort after. Null where no node that keeps it has written one yet.
alter table sessions add column newest_message_id uuid;

-- Until when a text is one node's to embed. What nobody claimed has none.
alter table embedding_queue add column claimed_until timestamptz;
