-- Where an account signed in from lately: there a limit on guesses from elsewhere does not apply.
create table known_addresses (
  user_id uuid not null references users (id) on delete cascade,
  address text not null,
  signed_in_at timestamptz not null,
  primary key (user_id, address)
);
create index known_addresses_by_time on known_addresses (signed_in_at);
