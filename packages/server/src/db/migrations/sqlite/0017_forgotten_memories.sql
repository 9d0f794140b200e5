-- What was taken back because the user asked for it to be forgotten, not because it was put right.
alter table memory_events add column forgotten integer not null default 0;
alter table assertions add column forgotten integer not null default 0;
