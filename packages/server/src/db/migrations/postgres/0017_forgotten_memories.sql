-- What was taken back because the user asked for it to be forgotten, not because it was put right.
alter table memory_events add column forgotten boolean not null default false;
alter table assertions add column forgotten boolean not null default false;
