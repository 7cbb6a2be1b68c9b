-- Ends every session that holds the fence; counts those that were still there.
SELECT count(pg_terminate_backend(pid))
FROM pg_locks
WHERE locktype = 'advisory' AND objsubid = 1 AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND ((classid::bigint << 32) | objid::bigint) = ?
