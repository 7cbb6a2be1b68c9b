-- A dead letter keeps what its message had, so that a replay loses nothing.
ALTER TABLE dead_letters
  ADD COLUMN created_at_micros bigint NOT NULL DEFAULT 0,
  ADD COLUMN trace_id uuid,
  ADD COLUMN producer bytea;
-- By the address of a message: the few dead letters of its partition.
CREATE INDEX dead_letters_partition ON dead_letters (partition_id, failed_at DESC);
