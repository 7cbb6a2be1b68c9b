-- Segments and transaction hashes are spread over buckets by how long they are meant to stay, so that what
-- has become old can be dropped whole. Bucket 0 keeps what stays; the others are slots of rings (see Ring in
-- the broker): one is written for a period, and is truncated when nothing in it is wanted any more.

ALTER TABLE segments RENAME TO segments_before;
ALTER INDEX segments_pkey RENAME TO segments_before_pkey;
ALTER INDEX segments_created RENAME TO segments_before_created;
ALTER TABLE transaction_hashes RENAME TO transaction_hashes_before;
ALTER INDEX transaction_hashes_pkey RENAME TO transaction_hashes_before_pkey;

-- The key holds the bucket because PostgreSQL wants it so; (partition_id, base_offset) alone is unique by the
-- fence. Frames are packed and compressed by the broker; a segment up to the tuple target stays in its row.
CREATE TABLE segments (
  partition_id bigint NOT NULL,
  base_offset bigint NOT NULL,
  message_count integer NOT NULL,
  codec smallint NOT NULL,
  bucket smallint NOT NULL,
  created_at_micros bigint NOT NULL,
  frames bytea NOT NULL,
  PRIMARY KEY (partition_id, base_offset, bucket)
) PARTITION BY LIST (bucket);
ALTER TABLE segments ALTER COLUMN frames SET STORAGE EXTERNAL;
CREATE INDEX segments_created ON segments USING brin (created_at_micros) WITH (pages_per_range = 32);

-- Transaction keys in frame order, 16 bytes each; only for queues with a deduplication window.
CREATE TABLE transaction_hashes (
  partition_id bigint NOT NULL,
  base_offset bigint NOT NULL,
  bucket smallint NOT NULL,
  created_at_micros bigint NOT NULL,
  hashes bytea NOT NULL,
  PRIMARY KEY (partition_id, base_offset, bucket)
) PARTITION BY LIST (bucket);
ALTER TABLE transaction_hashes ALTER COLUMN hashes SET STORAGE EXTERNAL;

DO $$
BEGIN
  FOR bucket IN 0..18 LOOP
    EXECUTE format('CREATE TABLE segments_%s PARTITION OF segments FOR VALUES IN (%s)'
      ' WITH (toast_tuple_target = 8160)', bucket, bucket);
  END LOOP;
  FOR bucket IN 0..12 LOOP
    EXECUTE format('CREATE TABLE transaction_hashes_%s PARTITION OF transaction_hashes FOR VALUES IN (%s)'
      ' WITH (toast_tuple_target = 8160)', bucket, bucket);
  END LOOP;
END
$$;

-- The slots that hold something: written from the one instant to the other, by the owner's clock.
CREATE TABLE buckets (
  kind text NOT NULL CHECK (kind IN ('segments', 'transaction_hashes')),
  bucket smallint NOT NULL,
  opened_at_micros bigint NOT NULL,
  closed_at_micros bigint,
  PRIMARY KEY (kind, bucket)
);

-- Partitions that are gone, though rows of theirs may still be in bucket 0 of the two tables above. The
-- highest number stays for ever: none is given twice.
CREATE TABLE reclaims (
  partition_id bigint PRIMARY KEY
);

INSERT INTO segments (partition_id, base_offset, message_count, codec, bucket, created_at_micros, frames)
SELECT partition_id, base_offset, message_count, codec, 0, created_at_micros, frames FROM segments_before;

-- Keys of before go together: to a slot of the ring for the longest windows, closed at their newest.
INSERT INTO transaction_hashes (partition_id, base_offset, bucket, created_at_micros, hashes)
SELECT partition_id, base_offset, 9, created_at_micros, hashes FROM transaction_hashes_before;
INSERT INTO buckets (kind, bucket, opened_at_micros, closed_at_micros)
SELECT 'transaction_hashes', 9, min(created_at_micros), max(created_at_micros)
FROM transaction_hashes_before
HAVING count(*) > 0;

-- What management shows, kept as of next_offset: never counted. sweep_due: rows below first_offset may still
-- be in bucket 0. bucket_max: the highest bucket that rows of the queue may be in.
ALTER TABLE partitions
  ADD COLUMN segment_count integer NOT NULL DEFAULT 0,
  ADD COLUMN retained_bytes bigint NOT NULL DEFAULT 0,
  ADD COLUMN oldest_at_micros bigint NOT NULL DEFAULT 0,
  ADD COLUMN newest_at_micros bigint NOT NULL DEFAULT 0,
  ADD COLUMN sweep_due boolean NOT NULL DEFAULT false;
ALTER TABLE queues ADD COLUMN bucket_max smallint NOT NULL DEFAULT 0;
ALTER TABLE queues ADD COLUMN hash_bucket_max smallint NOT NULL DEFAULT 12;

UPDATE partitions p
SET segment_count = s.segments, retained_bytes = s.bytes, oldest_at_micros = s.oldest, newest_at_micros = s.newest
FROM (
  SELECT b.partition_id, count(*) AS segments, sum(octet_length(b.frames)) AS bytes,
    min(b.created_at_micros) AS oldest, max(b.created_at_micros) AS newest
  FROM segments_before b
  JOIN partitions q ON q.id = b.partition_id
  WHERE b.base_offset < q.next_offset
  GROUP BY b.partition_id
) s
WHERE s.partition_id = p.id;

DROP TABLE segments_before;
DROP TABLE transaction_hashes_before;

-- The owner's sign of life stands in the name of its session: a commit a second is a commit too many.
DROP TABLE owner_liveness;
