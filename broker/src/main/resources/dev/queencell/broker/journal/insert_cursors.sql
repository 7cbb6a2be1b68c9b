INSERT INTO queen.cursors (partition_id, group_id, revision, committed, lease_high, lease_low, lease_end,
  lease_until, attempts, attempt_base, retries)
SELECT partition_id, group_id, revision, committed, lease_high, lease_low, lease_end,
  CASE WHEN lease_ms > 0 THEN now() + lease_ms * interval '1 millisecond' END,
  attempts, attempt_base, retries
FROM unnest(?::bigint[], ?::bigint[], ?::integer[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[],
    ?::bigint[], ?::integer[], ?::bigint[], ?::integer[])
  AS n (partition_id, group_id, revision, committed, lease_high, lease_low, lease_end,
    lease_ms, attempts, attempt_base, retries)
