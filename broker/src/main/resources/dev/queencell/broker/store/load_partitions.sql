-- Rolls each checkpoint forward by the segments that came after it (BRIN on created_at_micros). A lane that
-- has not written its mark yet may have segments of any age: then all of them are looked at.
SELECT p.id, p.queue_id, p.name, p.created_at_micros, p.first_offset,
  greatest(p.next_offset, coalesce(s.next_offset, 0)) AS next_offset,
  coalesce(s.created_at_micros, 0) AS last_created_at_micros
FROM queen.partitions p
LEFT JOIN (
  SELECT partition_id, max(base_offset + message_count) AS next_offset,
    max(created_at_micros) AS created_at_micros
  FROM queen.segments
  WHERE created_at_micros >= coalesce(
    (SELECT min(created_at_micros) FROM queen.checkpoints HAVING count(*) FILTER (WHERE lane < ?) = ?), 0)
  GROUP BY partition_id
) s ON s.partition_id = p.id
