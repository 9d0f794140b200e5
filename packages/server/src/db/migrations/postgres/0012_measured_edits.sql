-- After how many edits of a session's messages their bytes were measured. Where that is not message_edits (an earlier version edited one
-- since) they are measured anew, in the background.
alter table sessions add column measured_edits integer;
