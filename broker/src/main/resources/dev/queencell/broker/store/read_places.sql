-- The names of partitions and their queues (primary keys).
SELECT p.id, q.id AS queue_id, q.name AS queue_name, p.name AS partition_name
FROM queen.partitions p
JOIN queen.queues q ON q.id = p.queue_id
WHERE p.id = ANY (?) AND q.tenant = ?
