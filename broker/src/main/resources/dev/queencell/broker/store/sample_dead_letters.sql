-- The newest dead letters of a queue (dead_letters_queue).
SELECT group_name, error, retry_count, failed_at, octet_length(payload) AS payload_bytes
FROM queen.dead_letters
WHERE queue_id = ?
ORDER BY failed_at DESC
LIMIT ?
