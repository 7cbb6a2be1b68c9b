-- Moves what a partition must keep out of a slot that is to be emptied; a bounded number of rows, oldest first,
-- by primary key.
UPDATE queen.segments m SET bucket = 0
FROM (
  SELECT partition_id, base_offset FROM queen.segments
  WHERE bucket = ? AND partition_id = ? AND base_offset >= ?
  ORDER BY base_offset
  LIMIT ?
) kept
WHERE m.bucket = ? AND m.partition_id = kept.partition_id AND m.base_offset = kept.base_offset
