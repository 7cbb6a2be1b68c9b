-- Empty partitions that nobody has used for long, with their cursors; by primary key.
WITH gone AS (DELETE FROM queen.partitions WHERE id = ANY (?) RETURNING id),
  r AS (INSERT INTO queen.reclaims (partition_id) SELECT id FROM gone)
DELETE FROM queen.cursors WHERE partition_id IN (SELECT id FROM gone)
