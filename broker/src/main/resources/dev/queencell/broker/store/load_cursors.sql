-- PostgreSQL's wall clock may have jumped back since: no lease is held for longer than one may be given.
SELECT partition_id, group_id, revision, committed, lease_high, lease_low, lease_end,
  least(?, greatest(0, extract(epoch FROM lease_until - now()) * 1000))::bigint AS lease_ms,
  attempts, attempt_base, retries
FROM queen.cursors
