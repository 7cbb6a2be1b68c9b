SELECT partition_id, group_id, revision, committed, lease_high, lease_low, lease_end,
  greatest(0, extract(epoch FROM lease_until - now()) * 1000)::bigint AS lease_ms,
  attempts, attempt_base, retries
FROM queen.cursors
