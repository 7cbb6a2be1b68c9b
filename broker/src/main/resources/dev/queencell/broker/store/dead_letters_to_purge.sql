-- Some of a queue's dead letters that were filed up to an instant, oldest first (dead_letters_queue).
SELECT d.id, d.partition_id
FROM queen.dead_letters d
JOIN queen.queues q ON q.id = d.queue_id
WHERE q.tenant = ? AND q.name = ? AND (?::text IS NULL OR d.group_name = ?) AND d.failed_at <= ?
ORDER BY d.failed_at, d.id
LIMIT ?
