-- Where a group starts that wants messages from an instant on: one answer per partition of a queue.
SELECT s.partition_id, min(s.base_offset) AS base_offset
FROM queen.segments s
JOIN queen.partitions p ON p.id = s.partition_id
WHERE p.queue_id = ? AND s.created_at_micros >= ? AND s.base_offset >= p.first_offset
GROUP BY s.partition_id
