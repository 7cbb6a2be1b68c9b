SELECT id, tenant, name, namespace, task, options::text, (extract(epoch FROM created_at) * 1000000)::bigint AS created_at_micros,
  bucket_max, hash_bucket_max
FROM queen.queues
