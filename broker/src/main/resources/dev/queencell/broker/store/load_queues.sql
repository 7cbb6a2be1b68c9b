SELECT id, tenant, name, namespace, task, options::text, extract(epoch FROM created_at) * 1000000 AS created_at_micros
FROM queen.queues
