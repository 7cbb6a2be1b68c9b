-- The dead letters of one message, of every group, newest first (dead_letters_partition).
SELECT d.id, d.partition_id
FROM queen.dead_letters d
JOIN queen.queues q ON q.id = d.queue_id
WHERE d.partition_id = ? AND d.transaction_id = ? AND d.queue_id = ? AND q.tenant = ?
ORDER BY d.failed_at DESC, d.id DESC
