-- When the segments were written that hold, or come next after, given offsets; by primary key, one probe or two
-- per offset. No row where nothing is left.
SELECT n.partition_id, coalesce(at.created_at_micros, after.created_at_micros) AS created_at_micros
FROM unnest(?::bigint[], ?::bigint[]) AS n (partition_id, wanted)
LEFT JOIN LATERAL (
  SELECT s.created_at_micros, s.base_offset + s.message_count AS end_offset
  FROM queen.segments s
  WHERE s.partition_id = n.partition_id AND s.base_offset <= n.wanted
  ORDER BY s.base_offset DESC
  LIMIT 1
) at ON at.end_offset > n.wanted
LEFT JOIN LATERAL (
  SELECT s.created_at_micros
  FROM queen.segments s
  WHERE s.partition_id = n.partition_id AND s.base_offset > n.wanted
  ORDER BY s.base_offset
  LIMIT 1
) after ON at.end_offset IS NULL
WHERE coalesce(at.created_at_micros, after.created_at_micros) IS NOT NULL
