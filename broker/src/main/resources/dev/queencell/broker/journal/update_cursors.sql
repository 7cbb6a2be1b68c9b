-- Compare and set by revision, by primary key, in the order of the arrays (sorted; hash joins are off in
-- this session). A row that is not what the owner remembers fails the whole transaction.
WITH changed AS (
  UPDATE queen.cursors c
  SET revision = n.revision, committed = n.committed, lease_high = n.lease_high, lease_low = n.lease_low,
    lease_end = n.lease_end,
    lease_until = CASE WHEN n.lease_ms > 0 THEN now() + n.lease_ms * interval '1 millisecond' END,
    attempts = n.attempts, attempt_base = n.attempt_base, retries = n.retries
  FROM unnest(?::bigint[], ?::bigint[], ?::integer[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[],
      ?::bigint[], ?::integer[], ?::bigint[], ?::integer[])
    AS n (partition_id, group_id, revision, committed, lease_high, lease_low, lease_end,
      lease_ms, attempts, attempt_base, retries)
  WHERE c.partition_id = n.partition_id AND c.group_id = n.group_id AND c.revision = n.revision - 1
  RETURNING 1
)
SELECT 1 / (CASE WHEN count(*) = ? THEN 1 ELSE 0 END) FROM changed
