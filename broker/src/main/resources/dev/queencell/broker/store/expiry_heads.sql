-- The oldest segments of some partitions, without what is in them: enough to tell where keeping begins. By
-- primary key, no more than a number for each, in no bucket that their queues have never written.
SELECT p.id, s.base_offset + s.message_count AS end_offset, s.created_at_micros, s.bytes
FROM unnest(?::bigint[], ?::bigint[], ?::smallint[]) AS p (id, first_offset, bucket_max)
CROSS JOIN LATERAL (
  SELECT base_offset, message_count, created_at_micros, octet_length(frames) AS bytes
  FROM queen.segments
  WHERE partition_id = p.id AND bucket BETWEEN 0 AND p.bucket_max AND base_offset >= p.first_offset
  ORDER BY base_offset
  LIMIT ?
) s
ORDER BY p.id, s.base_offset
