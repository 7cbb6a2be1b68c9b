-- Transaction keys one by one, for partitions whose deduplication windows do not fit the memory for them: an index
-- over transaction_hashes, built when such a window is asked for. A row stands in the bucket of its hashes and
-- goes with it.
CREATE TABLE transaction_keys (
  partition_id bigint NOT NULL,
  key bytea NOT NULL,
  bucket smallint NOT NULL,
  message_offset bigint NOT NULL,
  created_at_micros bigint NOT NULL,
  PRIMARY KEY (partition_id, key, bucket)
) PARTITION BY LIST (bucket);

DO $$
BEGIN
  FOR bucket IN 0..12 LOOP
    EXECUTE format('CREATE TABLE transaction_keys_%s PARTITION OF transaction_keys FOR VALUES IN (%s)',
      bucket, bucket);
  END LOOP;
END
$$;

-- Of a partition every key below next_offset that was in its window stands in transaction_keys; the newest of
-- them is of newest_at_micros. No row: none does.
CREATE TABLE key_marks (
  partition_id bigint PRIMARY KEY,
  next_offset bigint NOT NULL,
  newest_at_micros bigint NOT NULL
) WITH (fillfactor = 70, vacuum_truncate = off);
