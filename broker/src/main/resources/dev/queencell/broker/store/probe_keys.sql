-- The rows of a partition's window that may hold one of some keys; by primary key range, filtered by time. A key
-- may also straddle two others: whoever asked looks closer.
SELECT base_offset, created_at_micros, hashes
FROM queen.transaction_hashes
WHERE partition_id = ? AND bucket BETWEEN 0 AND ? AND created_at_micros >= ?
  AND EXISTS (SELECT FROM unnest(?::bytea[]) AS k (key) WHERE position(k.key IN hashes) > 0)
ORDER BY base_offset
