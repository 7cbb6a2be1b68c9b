-- Puts the next keys of a partition one by one, and says up to where. By primary key range from an offset on; stops
-- at a number of rows and behind the one that passes a number of bytes. Locks what it writes, which nobody else
-- does. Zero stands for no key; where a key came twice into one bucket, the newer counts.
WITH step AS MATERIALIZED (
  SELECT base_offset, bucket, created_at_micros, hashes
  FROM (
    SELECT base_offset, bucket, created_at_micros, hashes,
      sum(octet_length(hashes)) OVER (ORDER BY base_offset) - octet_length(hashes) AS bytes_before
    FROM queen.transaction_hashes
    WHERE partition_id = ? AND bucket BETWEEN 0 AND ? AND base_offset >= ?
    ORDER BY base_offset
    LIMIT ?
  ) h
  WHERE bytes_before < ?
), keys AS (
  INSERT INTO queen.transaction_keys (partition_id, key, bucket, message_offset, created_at_micros)
  SELECT DISTINCT ON (key, bucket) ?::bigint, key, bucket, message_offset, created_at_micros
  FROM (
    SELECT substring(hashes FROM 16 * i + 1 FOR 16) AS key, bucket, base_offset + i AS message_offset,
      created_at_micros
    FROM step CROSS JOIN LATERAL generate_series(0, octet_length(hashes) / 16 - 1) AS i
  ) k
  WHERE key <> decode(repeat('00', 16), 'hex')
  ORDER BY key, bucket, message_offset DESC
  ON CONFLICT (partition_id, key, bucket)
    DO UPDATE SET message_offset = excluded.message_offset, created_at_micros = excluded.created_at_micros
)
INSERT INTO queen.key_marks (partition_id, next_offset, newest_at_micros)
SELECT ?::bigint, max(base_offset + octet_length(hashes) / 16), max(created_at_micros)
FROM step
HAVING count(*) > 0
ON CONFLICT (partition_id)
  DO UPDATE SET next_offset = excluded.next_offset, newest_at_micros = excluded.newest_at_micros
