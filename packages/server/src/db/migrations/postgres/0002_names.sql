-- Ordinary names for what the first migration called otherwise.
alter table arrivals rename to new_messages;
update jobs set kind = 'switch-model' where kind = 'adopt-model';
