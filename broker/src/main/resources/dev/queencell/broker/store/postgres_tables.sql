SELECT relname AS name, pg_total_relation_size(relid) AS total_bytes, n_live_tup AS rows_live,
  n_dead_tup AS rows_dead, seq_scan AS scans, idx_scan AS index_scans, n_tup_ins AS rows_inserted,
  n_tup_upd AS rows_updated, n_tup_hot_upd AS rows_updated_hot, n_tup_del AS rows_deleted,
  last_vacuum::text, last_autovacuum::text, last_analyze::text, last_autoanalyze::text
FROM pg_stat_user_tables
WHERE schemaname = 'queen'
ORDER BY 2 DESC, 1
