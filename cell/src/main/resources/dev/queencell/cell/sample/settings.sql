-- The settings that somebody chose, without those that may carry a password.
-- A computed view of the server's own memory: no index, no lock.
select
  name,
  setting || coalesce(' ' || unit, '') as setting,
  source
from pg_settings
where
  source not in ('default', 'override', 'client', 'session')
  and name !~ 'conninfo|passphrase'
order by name
