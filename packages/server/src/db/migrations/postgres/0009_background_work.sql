-- What waits, runs and failed in a workspace, without a look at all of its rows.

-- Failed attempts, of a document that failed and of a message that was given up.
alter table documents add column attempts integer not null default 0;
alter table extraction_queue add column attempts integer;
create index extraction_queue_failed on extraction_queue (workspace_id, session_id, message_id) where failed_at is not null;

-- When the session's turn began, while it lasts; what a stopped process left is older than the job that runs now.
alter table extraction_states add column started_at timestamptz;
-- Of the last rebuild that was given up.
alter table extraction_states add column regenerate_requested_at timestamptz;
alter table extraction_states add column regenerate_failed_at timestamptz;
create index extraction_states_started on extraction_states (workspace_id, session_id) where started_at is not null;
create index extraction_states_to_regenerate on extraction_states (workspace_id, session_id) where regenerate_at is not null;
create index extraction_states_given_up on extraction_states (workspace_id, session_id) where regenerate_error is not null;
