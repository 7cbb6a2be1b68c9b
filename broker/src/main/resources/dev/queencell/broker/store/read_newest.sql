-- The newest segment below an offset that is no younger than an instant; backwards by primary key, past what is
-- hidden by a delay.
SELECT base_offset, message_count, codec, created_at_micros, frames
FROM queen.segments
WHERE partition_id = ? AND base_offset < ? AND created_at_micros <= ?
ORDER BY base_offset DESC
LIMIT 1
