-- Adds counts to queue_minutes: a flat array of a queue, a minute and its counts, again and again. A row is
-- there already after a restart within its minute. Only the lane of a queue touches its rows.
INSERT INTO queen.queue_minutes AS m
SELECT v[i], v[i + 1], v[i + 2], v[i + 3], v[i + 4], v[i + 5], v[i + 6], v[i + 7], v[i + 8], v[i + 9],
  v[i + 10], v[i + 11], v[i + 12], v[i + 13], v[i + 14], v[i + 15], v[i + 16], v[i + 17], v[i + 18],
  v[i + 19], v[i + 20], v[i + 21], v[i + 22]
FROM (SELECT ?::bigint[] AS v) a, generate_series(1, cardinality(v), 23) AS i
ON CONFLICT (queue_id, minute) DO UPDATE SET
  push_requests = m.push_requests + excluded.push_requests,
  push_messages = m.push_messages + excluded.push_messages,
  pops = m.pops + excluded.pops,
  pop_messages = m.pop_messages + excluded.pop_messages,
  pop_empty = m.pop_empty + excluded.pop_empty,
  ack_requests = m.ack_requests + excluded.ack_requests,
  ack_success = m.ack_success + excluded.ack_success,
  ack_failed = m.ack_failed + excluded.ack_failed,
  transactions = m.transactions + excluded.transactions,
  conflated = m.conflated + excluded.conflated,
  dead_letters = m.dead_letters + excluded.dead_letters,
  partitions_created = m.partitions_created + excluded.partitions_created,
  partitions_deleted = m.partitions_deleted + excluded.partitions_deleted,
  retention_messages = m.retention_messages + excluded.retention_messages,
  completed_retention_messages = m.completed_retention_messages + excluded.completed_retention_messages,
  eviction_messages = m.eviction_messages + excluded.eviction_messages,
  retention_events = m.retention_events + excluded.retention_events,
  lag_millis = m.lag_millis + excluded.lag_millis,
  lag_millis_max = greatest(m.lag_millis_max, excluded.lag_millis_max),
  partition_count = greatest(m.partition_count, excluded.partition_count),
  parked = greatest(m.parked, excluded.parked)
