-- The next segments of a partition below an offset, newest first, by primary key; frames are not read.
SELECT partition_id, base_offset, message_count, created_at_micros
FROM queen.segments
WHERE partition_id = ? AND base_offset < ?
ORDER BY base_offset DESC
LIMIT ?
