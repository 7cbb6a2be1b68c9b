-- Rolls each checkpoint forward by the segments that came after it (BRIN on created_at_micros). A lane that
-- has not written its mark yet may have segments of any age: then all of them are looked at.
SELECT p.id, p.queue_id, p.name, p.created_at_micros, p.first_offset,
  coalesce(s.next_offset, p.next_offset) AS next_offset,
  p.segment_count + coalesce(s.segments, 0) AS segment_count,
  p.retained_bytes + coalesce(s.bytes, 0) AS retained_bytes,
  CASE WHEN p.first_offset < p.next_offset THEN p.oldest_at_micros
    ELSE coalesce(s.oldest_at_micros, 0) END AS oldest_at_micros,
  coalesce(s.newest_at_micros, p.newest_at_micros) AS newest_at_micros,
  p.sweep_due, s.partition_id IS NOT NULL AS rolled_forward
FROM queen.partitions p
LEFT JOIN (
  SELECT n.partition_id, max(n.base_offset + n.message_count) AS next_offset, count(*)::integer AS segments,
    sum(octet_length(n.frames))::bigint AS bytes, min(n.created_at_micros) AS oldest_at_micros,
    max(n.created_at_micros) AS newest_at_micros
  FROM queen.segments n
  JOIN queen.partitions c ON c.id = n.partition_id
  WHERE n.created_at_micros >= coalesce(
    (SELECT min(created_at_micros) FROM queen.checkpoints HAVING count(*) FILTER (WHERE lane < ?) = ?), 0)
    AND n.base_offset >= c.next_offset
  GROUP BY n.partition_id
) s ON s.partition_id = p.id
