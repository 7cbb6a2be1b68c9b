-- The segments of one partition from one instant on, up to another; BRIN on created_at_micros.
SELECT base_offset, message_count, codec, created_at_micros, frames
FROM queen.segments
WHERE partition_id = ? AND bucket BETWEEN 0 AND ? AND created_at_micros >= ? AND created_at_micros < ?
ORDER BY base_offset
