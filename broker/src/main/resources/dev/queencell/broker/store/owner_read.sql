SELECT o.epoch, o.holder, o.url,
  EXISTS (
    SELECT FROM pg_stat_activity a
    WHERE a.datname = current_database()
      AND substring(a.application_name FROM '^queencell-owner ([0-9]+) ')::bigint = o.epoch
      AND substring(a.application_name FROM ' ([0-9]+)$')::bigint > extract(epoch FROM clock_timestamp()) * 1000
  ) AS live
FROM queen.owner o
