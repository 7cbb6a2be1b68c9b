INSERT INTO queen.groups (id, queue_id, name, registered, mode, subscribed_from, conflation, seeded, created_at)
VALUES (?, ?, ?, ?, ?, to_timestamp(?::double precision / 1000000), ?, ?,
  to_timestamp(?::double precision / 1000000))
ON CONFLICT (id) DO UPDATE SET registered = excluded.registered, mode = excluded.mode,
  subscribed_from = excluded.subscribed_from, conflation = excluded.conflation, seeded = excluded.seeded
