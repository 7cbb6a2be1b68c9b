-- How many transaction keys a partition's window holds; by primary key range, sizes are known without reading.
SELECT coalesce(sum(octet_length(hashes)), 0) / 16 FROM queen.transaction_hashes
WHERE partition_id = ? AND bucket BETWEEN 0 AND ? AND created_at_micros >= ?
