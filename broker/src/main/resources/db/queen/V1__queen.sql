-- The schema of a cell's messages. Times of messages are microseconds since the epoch by the owning
-- broker's clock (they order segments); times of people and leases are timestamptz by PostgreSQL's.

-- Who may write: see FencedSession. One row for ever.
CREATE TABLE owner (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  epoch bigint NOT NULL,
  holder uuid,
  url text
);
INSERT INTO owner (epoch) VALUES (0);

-- Until when the owner is taken for alive. Unlogged: renewing it writes no WAL and waits for no disk, and
-- after a crash of PostgreSQL nobody is alive, which is true.
CREATE UNLOGGED TABLE owner_liveness (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  epoch bigint NOT NULL,
  deadline timestamptz NOT NULL
);

CREATE TABLE queues (
  id bigint PRIMARY KEY,
  tenant uuid NOT NULL,
  name text NOT NULL,
  namespace text NOT NULL,
  task text NOT NULL,
  options jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (tenant, name)
);

-- next_offset is a checkpoint, written in bulk every few seconds: what came later is in segments.
CREATE TABLE partitions (
  id bigint PRIMARY KEY,
  queue_id bigint NOT NULL,
  name text NOT NULL,
  created_at_micros bigint NOT NULL,
  first_offset bigint NOT NULL DEFAULT 0,
  next_offset bigint NOT NULL DEFAULT 0,
  UNIQUE (queue_id, name)
) WITH (fillfactor = 70, vacuum_truncate = off);

-- Every segment created before this instant is counted in partitions.next_offset.
CREATE TABLE checkpoints (
  lane integer PRIMARY KEY,
  created_at_micros bigint NOT NULL
) WITH (fillfactor = 30, vacuum_truncate = off);

-- Frames are packed and compressed by the broker; a segment up to the tuple target stays in its row.
CREATE TABLE segments (
  partition_id bigint NOT NULL,
  base_offset bigint NOT NULL,
  message_count integer NOT NULL,
  codec smallint NOT NULL,
  created_at_micros bigint NOT NULL,
  frames bytea NOT NULL,
  PRIMARY KEY (partition_id, base_offset)
) WITH (toast_tuple_target = 8160);
ALTER TABLE segments ALTER COLUMN frames SET STORAGE EXTERNAL;
CREATE INDEX segments_created ON segments USING brin (created_at_micros) WITH (pages_per_range = 32);

-- Transaction keys in frame order, 16 bytes each; only for queues with a deduplication window.
CREATE TABLE transaction_hashes (
  partition_id bigint NOT NULL,
  base_offset bigint NOT NULL,
  created_at_micros bigint NOT NULL,
  hashes bytea NOT NULL,
  PRIMARY KEY (partition_id, base_offset)
) WITH (toast_tuple_target = 8160);
ALTER TABLE transaction_hashes ALTER COLUMN hashes SET STORAGE EXTERNAL;

-- A group that only popped named partitions has no subscription: registered is false.
CREATE TABLE groups (
  id bigint PRIMARY KEY,
  queue_id bigint NOT NULL,
  name text NOT NULL,
  registered boolean NOT NULL,
  mode text NOT NULL,
  subscribed_from timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (queue_id, name)
);

-- One row per (partition, group) from its first lease on. revision counts the writes: the second net
-- behind the fence. A lease is the span (committed, lease_end] until lease_until.
CREATE TABLE cursors (
  partition_id bigint NOT NULL,
  group_id bigint NOT NULL,
  revision integer NOT NULL,
  committed bigint NOT NULL,
  lease_high bigint NOT NULL,
  lease_low bigint NOT NULL,
  lease_end bigint NOT NULL,
  lease_until timestamptz,
  attempts integer NOT NULL,
  attempt_base bigint NOT NULL,
  retries integer NOT NULL,
  PRIMARY KEY (partition_id, group_id)
) WITH (
  fillfactor = 30, vacuum_truncate = off,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000
);

CREATE TABLE dead_letters (
  id uuid PRIMARY KEY,
  queue_id bigint NOT NULL,
  partition_id bigint NOT NULL,
  group_name text NOT NULL,
  message_offset bigint NOT NULL,
  message_id uuid NOT NULL,
  transaction_id bytea NOT NULL,
  payload bytea NOT NULL,
  error text NOT NULL,
  retry_count integer NOT NULL,
  failed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX dead_letters_queue ON dead_letters (queue_id, failed_at DESC);
