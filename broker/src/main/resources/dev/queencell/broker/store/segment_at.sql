-- The last segment that begins in a range of offsets, without its frames; by primary key.
SELECT base_offset, message_count, created_at_micros
FROM queen.segments
WHERE partition_id = ? AND bucket BETWEEN 0 AND ? AND base_offset BETWEEN ? AND ?
ORDER BY base_offset DESC
LIMIT 1
