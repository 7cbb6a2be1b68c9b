-- For each of some partitions the newest segment that begins at or below an offset: one step of a search by
-- time, which grows with the offset. One probe of the primary key each; frames are not read.
SELECT a.partition_id, s.base_offset, s.message_count, s.created_at_micros
FROM unnest(?::bigint[], ?::bigint[]) AS a (partition_id, at_offset)
CROSS JOIN LATERAL (
  SELECT base_offset, message_count, created_at_micros
  FROM queen.segments
  WHERE partition_id = a.partition_id AND base_offset <= a.at_offset
  ORDER BY base_offset DESC
  LIMIT 1
) s
