-- A group's cursors, by primary key for each partition of its queue; and its row, unless its subscription stays.
WITH gone AS (
  DELETE FROM queen.cursors c
  USING queen.partitions p
  WHERE p.queue_id = ? AND c.partition_id = p.id AND c.group_id = ?
)
DELETE FROM queen.groups WHERE id = ? AND NOT ?
