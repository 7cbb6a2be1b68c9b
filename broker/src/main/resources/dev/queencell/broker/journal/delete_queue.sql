-- Everything under one queue but its segments and transaction keys: those are wanted by nobody without their
-- partitions, and go in the background. Traces stay, but for their names. Each by primary key or unique index.
WITH gone AS (DELETE FROM queen.partitions WHERE queue_id = ? RETURNING id),
  r AS (INSERT INTO queen.reclaims (partition_id) SELECT id FROM gone),
  c AS (DELETE FROM queen.cursors WHERE partition_id IN (SELECT id FROM gone)),
  g AS (DELETE FROM queen.groups WHERE queue_id = ?),
  d AS (DELETE FROM queen.dead_letters WHERE queue_id = ?),
  m AS (DELETE FROM queen.queue_minutes WHERE queue_id = ?),
  t AS (DELETE FROM queen.trace_names WHERE queue_id = ?)
DELETE FROM queen.queues WHERE id = ?
