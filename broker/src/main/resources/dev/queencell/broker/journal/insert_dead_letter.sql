INSERT INTO queen.dead_letters
  (id, queue_id, partition_id, group_name, message_offset, message_id, transaction_id, payload, error, retry_count,
  created_at_micros, trace_id, producer)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
