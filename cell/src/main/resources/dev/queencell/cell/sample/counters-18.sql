-- Counters of one database and of its server since their last reset, for PostgreSQL 18 and newer.
-- Parameter 1: the name of the broker's database.
-- Reads statistics in shared memory: no index, no lock but the catalogues' own.
-- A column named ...Generation governs the columns after it: when it changes, they began again at 0.
select
  d.datid::text || '/' || coalesce(d.stats_reset::text, '') as "databaseGeneration",
  d.xact_commit as "commits",
  d.xact_rollback as "rollbacks",
  d.blks_read as "blocksRead",
  d.blks_hit as "blocksHit",
  d.tup_returned as "tuplesReturned",
  d.tup_fetched as "tuplesFetched",
  d.tup_inserted as "tuplesInserted",
  d.tup_updated as "tuplesUpdated",
  d.tup_deleted as "tuplesDeleted",
  d.temp_bytes as "tempBytes",
  w.stats_reset::text as "walGeneration",
  w.wal_records as "walRecords",
  w.wal_fpi as "walFullPageImages",
  w.wal_bytes::bigint as "walBytes",
  w.wal_buffers_full as "walBuffersFull",
  i.generation as "ioGeneration",
  i.writes as "walWrites",
  i.write_micros as "walWriteMicros",
  i.fsyncs as "walFsyncs",
  i.fsync_micros as "walFsyncMicros",
  c.stats_reset::text as "checkpointGeneration",
  c.num_timed as "checkpointsTimed",
  c.num_requested as "checkpointsRequested",
  c.write_time::bigint as "checkpointWriteMs",
  c.sync_time::bigint as "checkpointSyncMs",
  c.buffers_written as "checkpointBuffers"
from pg_stat_database d
cross join pg_stat_wal w
cross join pg_stat_checkpointer c
cross join (
  select
    max(stats_reset)::text as generation,
    sum(writes)::bigint as writes,
    (sum(write_time) * 1000)::bigint as write_micros,
    sum(fsyncs)::bigint as fsyncs,
    (sum(fsync_time) * 1000)::bigint as fsync_micros
  from pg_stat_io
  where object = 'wal'
) i
where d.datname = ?
