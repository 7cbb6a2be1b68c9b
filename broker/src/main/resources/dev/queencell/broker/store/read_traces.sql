-- The traces of one message, oldest first (traces_address).
SELECT id, partition_id, transaction_id, consumer_group, event_type, data, names, created_at_micros
FROM queen.traces
WHERE tenant = ? AND partition_id = ? AND transaction_key = ? AND transaction_id = ?
ORDER BY created_at_micros, id
LIMIT ?
