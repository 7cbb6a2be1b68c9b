-- Deletes transaction keys of partitions that are gone from bucket 0; a bounded number, by primary key.
DELETE FROM queen.transaction_hashes_0 d
USING (
  SELECT h.partition_id, h.base_offset
  FROM unnest(?::bigint[]) AS p (id)
  CROSS JOIN LATERAL (
    SELECT partition_id, base_offset FROM queen.transaction_hashes_0 WHERE partition_id = p.id LIMIT ?
  ) h
  LIMIT ?
) dead
WHERE d.partition_id = dead.partition_id AND d.base_offset = dead.base_offset
