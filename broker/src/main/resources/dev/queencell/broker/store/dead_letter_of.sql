-- The newest dead letter of one message (dead_letters_message).
SELECT error, retry_count
FROM queen.dead_letters
WHERE partition_id = ? AND message_offset = ?
ORDER BY failed_at DESC
LIMIT 1
