-- The traces of one name, newest first (primary keys of trace_names, backwards, and of traces).
SELECT t.id, t.partition_id, t.transaction_id, t.consumer_group, t.event_type, t.data, t.names,
  t.created_at_micros
FROM queen.trace_names n
JOIN queen.traces t ON t.id = n.trace_id
WHERE n.tenant = ? AND n.name = ?
ORDER BY n.created_at_micros DESC, n.trace_id DESC
LIMIT ? OFFSET ?
