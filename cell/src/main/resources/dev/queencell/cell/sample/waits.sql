-- What working backends wait for at this instant; a backend that waits for nothing runs on a CPU.
-- Parameter 1: the sampler's application name, so that it does not see itself.
-- Reads the process array in shared memory: no index, no lock but the catalogues' own.
select
  coalesce(datname, '') as "database",
  coalesce(backend_type, '') as "backendType",
  coalesce(wait_event_type, 'CPU') as "waitEventType",
  coalesce(wait_event, 'running') as "waitEvent",
  count(*) as "backends"
from pg_stat_activity
where
  application_name <> ?
  and (
    state = 'active'
    or (backend_type <> 'client backend' and wait_event_type <> 'Activity')
  )
group by 1, 2, 3, 4
order by 1, 2, 3, 4
