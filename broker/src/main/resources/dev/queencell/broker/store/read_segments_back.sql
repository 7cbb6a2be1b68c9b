-- Segments in a range of offsets, newest first, no older than an instant; by primary key range. Looks into no
-- bucket that its queue has never written.
SELECT base_offset, message_count, codec, created_at_micros, frames
FROM queen.segments
WHERE partition_id = ? AND bucket BETWEEN 0 AND ? AND base_offset >= ? AND base_offset < ?
  AND created_at_micros >= ?
ORDER BY base_offset DESC
LIMIT ?
