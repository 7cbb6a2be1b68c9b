-- Which of some keys a partition got since an instant, as far as they stand one by one; a probe of the primary key
-- for each, and bucket.
SELECT k.key, f.message_offset, f.created_at_micros
FROM unnest(?::bytea[]) AS k (key)
CROSS JOIN LATERAL (
  SELECT message_offset, created_at_micros
  FROM queen.transaction_keys
  WHERE partition_id = ? AND key = k.key AND bucket BETWEEN 0 AND ? AND created_at_micros >= ?
  ORDER BY message_offset DESC
  LIMIT 1
) f
