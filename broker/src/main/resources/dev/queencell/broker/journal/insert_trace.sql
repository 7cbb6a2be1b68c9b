WITH t AS (
  INSERT INTO queen.traces
    (id, tenant, partition_id, transaction_key, transaction_id, consumer_group, event_type, data, names,
     created_at_micros)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  RETURNING *
)
INSERT INTO queen.trace_names
  (tenant, name, created_at_micros, trace_id, queue_id, partition_id, transaction_key)
SELECT t.tenant, n, t.created_at_micros, t.id, ?::bigint, t.partition_id, t.transaction_key
FROM t, unnest(t.names) AS n
