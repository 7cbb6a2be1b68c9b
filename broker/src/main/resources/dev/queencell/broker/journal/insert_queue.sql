INSERT INTO queen.queues (id, tenant, name, namespace, task, options) VALUES (?, ?, ?, ?, ?, ?::jsonb)
ON CONFLICT (id) DO UPDATE SET namespace = excluded.namespace, task = excluded.task, options = excluded.options
