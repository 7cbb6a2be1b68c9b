-- Segments below an offset, newest first, no older than an instant; by primary key range.
SELECT base_offset, message_count, codec, created_at_micros, frames
FROM queen.segments
WHERE partition_id = ? AND base_offset < ? AND created_at_micros >= ?
ORDER BY base_offset DESC
LIMIT ?
