-- The partitions that have rows in a slot, from one on, with the last of these rows and the first offset that is
-- kept (null: the partition is gone). Steps from partition to partition in the slot's primary key, so that its
-- cost follows their number and not that of the segments.
WITH RECURSIVE step AS (
  (SELECT partition_id, 1 AS steps FROM queen.segments
    WHERE bucket = ? AND partition_id >= ? ORDER BY partition_id LIMIT 1)
  UNION ALL
  SELECT (SELECT s.partition_id FROM queen.segments s
      WHERE s.bucket = ? AND s.partition_id > step.partition_id ORDER BY s.partition_id LIMIT 1), steps + 1
  FROM step
  WHERE step.partition_id IS NOT NULL AND steps < ?
)
SELECT step.partition_id,
  (SELECT max(s.base_offset) FROM queen.segments s WHERE s.bucket = ? AND s.partition_id = step.partition_id),
  (SELECT p.first_offset FROM queen.partitions p WHERE p.id = step.partition_id)
FROM step
WHERE step.partition_id IS NOT NULL
ORDER BY step.partition_id
