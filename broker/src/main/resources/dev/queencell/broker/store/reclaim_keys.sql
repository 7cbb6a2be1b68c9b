-- Deletes the keys one by one of partitions that are gone from bucket 0; a bounded number, by primary key.
DELETE FROM queen.transaction_keys_0 d
USING (
  SELECT h.partition_id, h.key
  FROM unnest(?::bigint[]) AS p (id)
  CROSS JOIN LATERAL (
    SELECT partition_id, key FROM queen.transaction_keys_0 WHERE partition_id = p.id LIMIT ?
  ) h
  LIMIT ?
) dead
WHERE d.partition_id = dead.partition_id AND d.key = dead.key
