-- One dead letter of a tenant, by primary key.
SELECT d.id, d.queue_id, d.partition_id, q.name AS queue_name, p.name AS partition_name, d.group_name,
  d.message_offset, d.transaction_id, d.payload, d.error, d.retry_count,
  (extract(epoch FROM d.failed_at) * 1000000)::bigint AS failed_at_micros, d.trace_id, d.producer
FROM queen.dead_letters d
JOIN queen.queues q ON q.id = d.queue_id
LEFT JOIN queen.partitions p ON p.id = d.partition_id
WHERE d.id = ? AND q.tenant = ?
