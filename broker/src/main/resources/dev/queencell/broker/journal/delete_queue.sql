-- Everything under one queue, in one transaction; traces stay, but for their names. Each by primary key or unique index.
WITH gone AS (DELETE FROM queen.partitions WHERE queue_id = ? RETURNING id),
  s AS (DELETE FROM queen.segments WHERE partition_id IN (SELECT id FROM gone)),
  h AS (DELETE FROM queen.transaction_hashes WHERE partition_id IN (SELECT id FROM gone)),
  c AS (DELETE FROM queen.cursors WHERE partition_id IN (SELECT id FROM gone)),
  g AS (DELETE FROM queen.groups WHERE queue_id = ?),
  d AS (DELETE FROM queen.dead_letters WHERE queue_id = ?),
  m AS (DELETE FROM queen.queue_minutes WHERE queue_id = ?),
  t AS (DELETE FROM queen.trace_names WHERE queue_id = ?)
DELETE FROM queen.queues WHERE id = ?
