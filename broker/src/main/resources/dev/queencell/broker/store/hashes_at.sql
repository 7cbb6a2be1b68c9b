-- The last commit with keys that begins in a range of offsets, without the keys; by primary key.
SELECT base_offset, octet_length(hashes) / 16, created_at_micros
FROM queen.transaction_hashes
WHERE partition_id = ? AND bucket BETWEEN 0 AND ? AND base_offset BETWEEN ? AND ?
ORDER BY base_offset DESC
LIMIT 1
