-- Moves our deadline on; no row when another has taken over. By PostgreSQL's clock alone. The deadline stands in
-- the name of this session and in no table: a sign of life writes nothing, and ends with the session.
SELECT set_config('application_name',
  'queencell-owner ' || epoch || ' ' || (extract(epoch FROM clock_timestamp()) * 1000 + ?)::bigint, false)
FROM queen.owner
WHERE epoch = ? AND holder = ?
