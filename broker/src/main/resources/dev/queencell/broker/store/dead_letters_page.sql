-- Dead letters of a tenant, newest first (dead_letters_queue where a queue is named). Stops behind the row that
-- passes a number of bytes; sizes are known without reading.
SELECT id, queue_id, partition_id, queue_name, partition_name, group_name, message_offset, transaction_id, payload,
  error, retry_count, failed_at_micros, trace_id, producer
FROM (
  SELECT d.id, d.queue_id, d.partition_id, q.name AS queue_name, p.name AS partition_name, d.group_name,
    d.message_offset, d.transaction_id, d.payload, d.error, d.retry_count, d.trace_id, d.producer,
    (extract(epoch FROM d.failed_at) * 1000000)::bigint AS failed_at_micros,
    sum(octet_length(d.payload)::bigint) OVER (ORDER BY d.failed_at DESC, d.id DESC)
      - octet_length(d.payload) AS bytes_before
  FROM (
    SELECT d.*
    FROM queen.dead_letters d
    JOIN queen.queues q ON q.id = d.queue_id
    WHERE q.tenant = ? AND (?::text IS NULL OR q.name = ?) AND (?::text IS NULL OR d.group_name = ?)
    ORDER BY d.failed_at DESC, d.id DESC
    LIMIT ? OFFSET ?
  ) d
  JOIN queen.queues q ON q.id = d.queue_id
  LEFT JOIN queen.partitions p ON p.id = d.partition_id
) page
WHERE bytes_before < ?
ORDER BY failed_at_micros DESC, id DESC
