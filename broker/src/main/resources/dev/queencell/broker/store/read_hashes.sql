-- The transaction keys of one partition from an offset on, oldest first; by primary key range. Looks into no bucket
-- that its queue has never written.
SELECT base_offset, created_at_micros, hashes
FROM queen.transaction_hashes
WHERE partition_id = ? AND bucket BETWEEN 0 AND ? AND base_offset >= ?
ORDER BY base_offset
