-- The deduplication window of one partition, oldest first; by primary key range, filtered by time.
SELECT base_offset, created_at_micros, hashes
FROM queen.transaction_hashes
WHERE partition_id = ? AND created_at_micros >= ?
ORDER BY base_offset
