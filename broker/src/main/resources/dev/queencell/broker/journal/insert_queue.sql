INSERT INTO queen.queues (id, tenant, name, namespace, task, options, bucket_max, hash_bucket_max, created_at)
VALUES (?, ?, ?, ?, ?, ?::jsonb, ?, ?, to_timestamp(?::double precision / 1000000))
ON CONFLICT (id) DO UPDATE SET namespace = excluded.namespace, task = excluded.task, options = excluded.options,
  bucket_max = excluded.bucket_max, hash_bucket_max = excluded.hash_bucket_max
