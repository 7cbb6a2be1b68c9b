-- Size, dead rows and autovacuum activity of the database that this runs in.
-- No index serves it: one entry per table in shared memory, one stat() per file for the size; so
-- it runs more rarely than the counters. Takes no lock but the catalogues' own.
select
  pg_database_size(current_database()) as "databaseBytes",
  coalesce(sum(n_live_tup), 0)::bigint as "liveTuples",
  coalesce(sum(n_dead_tup), 0)::bigint as "deadTuples",
  coalesce(sum(autovacuum_count), 0)::bigint as "autovacuums",
  coalesce(sum(autoanalyze_count), 0)::bigint as "autoanalyzes"
from pg_stat_user_tables
