SELECT current_setting('server_version') AS version, d.datname AS name,
  pg_database_size(d.datname) AS size_bytes, d.numbackends AS sessions,
  current_setting('max_connections')::integer AS sessions_max, d.xact_commit AS commits,
  d.xact_rollback AS rollbacks, d.blks_read AS blocks_read, d.blks_hit AS blocks_hit,
  d.tup_returned AS rows_returned, d.tup_fetched AS rows_fetched, d.tup_inserted AS rows_inserted,
  d.tup_updated AS rows_updated, d.tup_deleted AS rows_deleted, d.conflicts, d.temp_bytes,
  d.deadlocks
FROM pg_stat_database d
WHERE d.datname = current_database()
