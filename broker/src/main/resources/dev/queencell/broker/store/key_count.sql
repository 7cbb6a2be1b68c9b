-- How many transaction keys a partition has from an offset on, counted over no more than so many rows; by primary
-- key range, sizes are known without reading.
SELECT coalesce(sum(octet_length(hashes)), 0) / 16
FROM (
  SELECT hashes FROM queen.transaction_hashes
  WHERE partition_id = ? AND bucket BETWEEN 0 AND ? AND base_offset >= ?
  ORDER BY base_offset
  LIMIT ?
) h
