-- Totals of the statements of one database, the dearest first (needs pg_stat_statements).
-- Parameter 1: the name of the broker's database. The sampler's own word to be left out is left out.
-- Reads the extension's shared memory and its text file: no index, no lock on a table.
select
  s.queryid::text as "queryId",
  s.calls as "calls",
  s.rows as "rows",
  (s.total_exec_time * 1000)::bigint as "execMicros",
  s.wal_bytes::bigint as "walBytes",
  s.shared_blks_hit as "blocksHit",
  s.shared_blks_read as "blocksRead",
  left(regexp_replace(s.query, '\s+', ' ', 'g'), 300) as "query"
from pg_stat_statements s
join pg_database d on d.oid = s.dbid
where
  d.datname = ?
  and s.toplevel
  and s.query not ilike 'set pg_stat_statements.track%'
order by s.total_exec_time desc
limit 1000
