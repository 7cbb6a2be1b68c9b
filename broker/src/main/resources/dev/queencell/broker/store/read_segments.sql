-- Segments that hold offsets from ? on, in order, by primary key range; the first may begin before. Stops at
-- a number of rows and behind the segment that passes a number of bytes (sizes are known without reading).
-- Looks into no bucket that its queue has never written.
SELECT base_offset, message_count, codec, created_at_micros, frames
FROM (
  SELECT base_offset, message_count, codec, created_at_micros, frames,
    sum(octet_length(frames)) OVER (ORDER BY base_offset) - octet_length(frames) AS bytes_before
  FROM queen.segments
  WHERE partition_id = ?
    AND bucket BETWEEN 0 AND ?
    AND base_offset >= coalesce(
      (SELECT max(base_offset) FROM queen.segments
        WHERE partition_id = ? AND bucket BETWEEN 0 AND ? AND base_offset <= ?), 0)
    AND base_offset < ?
  ORDER BY base_offset
  LIMIT ?
) s
WHERE bytes_before < ?
ORDER BY base_offset
