SELECT id, queue_id, name, registered, mode, extract(epoch FROM subscribed_from) * 1000000 AS subscribed_from_micros
FROM queen.groups
