-- Becomes the owner when nobody is, when the owner's deadline has passed or its session is gone, or when it was
-- us: this process, or one before it that served where we serve and of which no session is left inside the fence.
UPDATE queen.owner o
SET epoch = epoch + 1, holder = ?, url = ?
WHERE holder IS NULL
  OR holder = ?
  OR NOT EXISTS (
    SELECT FROM pg_stat_activity a
    WHERE a.datname = current_database()
      AND substring(a.application_name FROM '^queencell-owner ([0-9]+) ')::bigint = o.epoch
      AND substring(a.application_name FROM ' ([0-9]+)$')::bigint > extract(epoch FROM clock_timestamp()) * 1000)
  OR (o.url = ?
    AND NOT EXISTS (
      SELECT FROM pg_locks
      WHERE locktype = 'advisory' AND objsubid = 1 AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND ((classid::bigint << 32) | objid::bigint) = ?))
RETURNING epoch
