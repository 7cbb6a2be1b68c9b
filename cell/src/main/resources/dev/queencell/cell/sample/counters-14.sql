-- Counters of one database and of its server since their last reset, for PostgreSQL 14 to 16.
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
  w.wal_write as "walWrites",
  (w.wal_write_time * 1000)::bigint as "walWriteMicros",
  w.wal_sync as "walFsyncs",
  (w.wal_sync_time * 1000)::bigint as "walFsyncMicros",
  c.stats_reset::text as "checkpointGeneration",
  c.checkpoints_timed as "checkpointsTimed",
  c.checkpoints_req as "checkpointsRequested",
  c.checkpoint_write_time::bigint as "checkpointWriteMs",
  c.checkpoint_sync_time::bigint as "checkpointSyncMs",
  c.buffers_checkpoint as "checkpointBuffers"
from pg_stat_database d
cross join pg_stat_wal w
cross join pg_stat_bgwriter c
where d.datname = ?
