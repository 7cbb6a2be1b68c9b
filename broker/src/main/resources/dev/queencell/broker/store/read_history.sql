-- Counts per bucket of time and key (a queue, a namespace, a task, or all in one), newest first: for each
-- queue of the scope a range of the primary key of queue_minutes.
SELECT
  CASE ? WHEN 'queue' THEN q.name WHEN 'namespace' THEN q.namespace WHEN 'task' THEN q.task ELSE '' END AS key,
  m.minute / a.width * a.width AS bucket,
  sum(push_requests), sum(push_messages), sum(pops), sum(pop_messages), sum(pop_empty), sum(ack_requests),
  sum(ack_success), sum(ack_failed), sum(transactions), sum(conflated), sum(dead_letters),
  sum(partitions_created), sum(partitions_deleted), sum(retention_messages),
  sum(completed_retention_messages), sum(eviction_messages), sum(retention_events), sum(lag_millis),
  max(lag_millis_max), max(partition_count), max(parked)
FROM (SELECT ?::integer AS width, ?::integer AS from_minute, ?::integer AS to_minute, ?::uuid AS tenant,
    ?::text AS queue, ?::text AS namespace, ?::text AS task) a
JOIN queen.queues q
  ON (a.tenant IS NULL OR q.tenant = a.tenant)
  AND (a.queue IS NULL OR q.name = a.queue)
  AND (a.namespace IS NULL OR q.namespace = a.namespace)
  AND (a.task IS NULL OR q.task = a.task)
JOIN queen.queue_minutes m
  ON m.queue_id = q.id AND m.minute >= a.from_minute AND m.minute < a.to_minute
GROUP BY 1, 2
ORDER BY 2 DESC, 1
LIMIT ?
