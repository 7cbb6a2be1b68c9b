-- The deduplication window of one partition, oldest first; by primary key range, filtered by time. Looks into
-- no bucket that its queue has never written.
SELECT base_offset, created_at_micros, hashes
FROM queen.transaction_hashes
WHERE partition_id = ? AND bucket BETWEEN 0 AND ? AND created_at_micros >= ?
ORDER BY base_offset
