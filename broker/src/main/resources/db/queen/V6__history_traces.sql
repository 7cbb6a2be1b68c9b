-- What happened to a queue in one minute (minutes since the epoch), kept for 90 days. Written in bulk by
-- the queue's lane, at most once a minute and only for queues to which something happened.
CREATE TABLE queue_minutes (
  queue_id bigint NOT NULL,
  minute integer NOT NULL,
  push_requests bigint NOT NULL,
  push_messages bigint NOT NULL,
  pops bigint NOT NULL,
  pop_messages bigint NOT NULL,
  pop_empty bigint NOT NULL,
  ack_requests bigint NOT NULL,
  ack_success bigint NOT NULL,
  ack_failed bigint NOT NULL,
  transactions bigint NOT NULL,
  conflated bigint NOT NULL,
  dead_letters bigint NOT NULL,
  partitions_created bigint NOT NULL,
  partitions_deleted bigint NOT NULL,
  retention_messages bigint NOT NULL,
  completed_retention_messages bigint NOT NULL,
  eviction_messages bigint NOT NULL,
  retention_events bigint NOT NULL,
  lag_millis bigint NOT NULL,
  lag_millis_max bigint NOT NULL,
  partition_count bigint NOT NULL,
  parked bigint NOT NULL,
  PRIMARY KEY (queue_id, minute)
);
CREATE INDEX queue_minutes_minute ON queue_minutes USING brin (minute) WITH (pages_per_range = 32);

-- What the broker's process used, one row for a minute in which anything happened.
CREATE TABLE cell_minutes (
  minute integer PRIMARY KEY,
  cpu_percent double precision NOT NULL,
  resident_bytes bigint NOT NULL,
  heap_bytes bigint NOT NULL,
  sessions integer NOT NULL,
  uptime_seconds bigint NOT NULL
);

-- Notes of clients on their messages. They outlive message and queue, so the address is the wire's. The
-- key is the 16 bytes of the transaction id by which it is found, as an id may be too long for an index.
CREATE TABLE traces (
  id uuid PRIMARY KEY,
  tenant uuid NOT NULL,
  partition_id uuid NOT NULL,
  transaction_key uuid NOT NULL,
  transaction_id bytea NOT NULL,
  consumer_group text NOT NULL,
  event_type text NOT NULL,
  data text NOT NULL,
  names text[] NOT NULL,
  created_at_micros bigint NOT NULL
);
CREATE INDEX traces_address ON traces (tenant, partition_id, transaction_key, created_at_micros);

-- One row per trace and name of it; they go with their queue (0: none was known).
CREATE TABLE trace_names (
  tenant uuid NOT NULL,
  name text NOT NULL,
  created_at_micros bigint NOT NULL,
  trace_id uuid NOT NULL,
  queue_id bigint NOT NULL,
  partition_id uuid NOT NULL,
  transaction_key uuid NOT NULL,
  PRIMARY KEY (tenant, name, created_at_micros, trace_id)
);
CREATE INDEX trace_names_queue ON trace_names (queue_id);

-- Whether a message is a dead letter.
CREATE INDEX dead_letters_message ON dead_letters (partition_id, message_offset);
