-- The highest ids in use and the newest time given out; the owner counts on from here.
SELECT (SELECT coalesce(max(id), 0) FROM queen.queues) AS queue_id,
  greatest((SELECT coalesce(max(id), 0) FROM queen.partitions),
    (SELECT coalesce(max(partition_id), 0) FROM queen.reclaims)) AS partition_id,
  (SELECT coalesce(max(id), 0) FROM queen.groups) AS group_id,
  greatest(
    (SELECT coalesce(max(created_at_micros), 0) FROM queen.checkpoints),
    (SELECT coalesce(max(created_at_micros), 0) FROM queen.segments
      WHERE created_at_micros >= coalesce((SELECT max(created_at_micros) FROM queen.checkpoints), 0)))
    AS created_at_micros
