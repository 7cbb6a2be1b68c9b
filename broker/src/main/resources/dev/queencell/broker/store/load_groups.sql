SELECT id, queue_id, name, registered, mode,
  (extract(epoch FROM subscribed_from) * 1000000)::bigint AS subscribed_from_micros,
  conflation, seeded, (extract(epoch FROM created_at) * 1000000)::bigint AS created_at_micros
FROM queen.groups
