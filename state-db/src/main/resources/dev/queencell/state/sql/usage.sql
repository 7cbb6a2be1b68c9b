-- name: now
SELECT extract(epoch FROM now())::bigint AS epoch_seconds;

-- name: note_batch
-- usage_batches_pkey: waits for a concurrent batch of the same id, then yields nothing.
INSERT INTO queen_proxy.usage_batches (batch_id, digest)
VALUES (?, ?)
ON CONFLICT (batch_id) DO NOTHING
RETURNING batch_id;

-- name: digest_of_batch
SELECT digest FROM queen_proxy.usage_batches WHERE batch_id = ?;

-- name: open_days
-- Takes the rows of the batch's days, in their order, until commit: batches take turns, and the
-- roll-up waits for them.
INSERT INTO queen_proxy.usage_open_days AS o (day)
SELECT d::date FROM unnest(?::text[]) AS d ORDER BY d
ON CONFLICT (day) DO UPDATE SET batches = o.batches + 1;

-- name: add_minutes
-- usage_minutes_pkey, one probe per row, in key order.
INSERT INTO queen_proxy.usage_minutes AS m
  (cluster_id, minute, op_class, reqs, msgs, bytes_in, bytes_out)
SELECT * FROM unnest(
  ?::uuid[], ?::text[]::timestamptz[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[]
) AS r (cluster_id, minute, op_class, reqs, msgs, bytes_in, bytes_out)
ORDER BY r.cluster_id, r.minute, r.op_class
ON CONFLICT (cluster_id, minute, op_class) DO UPDATE
SET reqs = m.reqs + excluded.reqs, msgs = m.msgs + excluded.msgs,
    bytes_in = m.bytes_in + excluded.bytes_in, bytes_out = m.bytes_out + excluded.bytes_out;

-- name: add_months
-- usage_months_pkey, in key order.
INSERT INTO queen_proxy.usage_months AS m (cluster_id, month, msgs)
SELECT * FROM unnest(?::uuid[], ?::text[]::date[], ?::bigint[]) AS r (cluster_id, month, msgs)
ORDER BY r.cluster_id, r.month
ON CONFLICT (cluster_id, month) DO UPDATE SET msgs = m.msgs + excluded.msgs;

-- name: patiently
-- A day of a large cell takes longer than a request may.
SET LOCAL statement_timeout = '600s';

-- name: closed_open_days
-- Waits for running batches of those days; what they added is seen by the next statement.
SELECT day::text AS day
FROM queen_proxy.usage_open_days
WHERE day < (now() AT TIME ZONE 'UTC')::date
ORDER BY day
LIMIT 1
FOR UPDATE;

-- name: roll_up_day
-- usage_minutes_minute for the day. Sets sums, never adds: running it again changes nothing.
INSERT INTO queen_proxy.usage_days (cluster_id, day, op_class, reqs, msgs, bytes_in, bytes_out)
SELECT cluster_id, ?::date, op_class, sum(reqs), sum(msgs), sum(bytes_in), sum(bytes_out)
FROM queen_proxy.usage_minutes
WHERE minute >= ?::date::timestamp AT TIME ZONE 'UTC'
  AND minute < (?::date + 1)::timestamp AT TIME ZONE 'UTC'
GROUP BY cluster_id, op_class
ON CONFLICT (cluster_id, day, op_class) DO UPDATE
SET reqs = excluded.reqs, msgs = excluded.msgs,
    bytes_in = excluded.bytes_in, bytes_out = excluded.bytes_out;

-- name: close_day
DELETE FROM queen_proxy.usage_open_days WHERE day = ?::date;

-- name: prune_minutes
-- usage_minutes_minute. Only what is old and rolled up.
DELETE FROM queen_proxy.usage_minutes
WHERE minute < ((now() AT TIME ZONE 'UTC')::date - ?::int)::timestamp AT TIME ZONE 'UTC'
  AND (minute AT TIME ZONE 'UTC')::date NOT IN (SELECT day FROM queen_proxy.usage_open_days);

-- name: prune_batches
-- usage_batches_at
DELETE FROM queen_proxy.usage_batches WHERE at < now() - make_interval(days => ?::int);

-- name: quotas_of_clusters
-- Primary keys; holds the months' rows, so that one of two transactions announces.
SELECT c.id, c.slug, c.tenant_id, p.monthly_msgs_quota, c.limit_overrides::text AS overrides,
       m.msgs, m.announced, m.blocked
FROM queen_proxy.usage_months m
JOIN queen_proxy.clusters c ON c.id = m.cluster_id
JOIN queen_proxy.plans p ON p.id = c.plan_id
WHERE m.cluster_id = ANY (?::uuid[])
  AND m.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date
ORDER BY m.cluster_id
FOR UPDATE OF m;

-- name: clusters_of_month
-- A page of the clusters that have a count in this month.
SELECT m.cluster_id
FROM queen_proxy.usage_months m
WHERE m.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date AND m.cluster_id > ?
ORDER BY m.cluster_id
LIMIT ?;

-- name: set_month
UPDATE queen_proxy.usage_months
SET announced = ?, blocked = ?
WHERE cluster_id = ? AND month = date_trunc('month', now() AT TIME ZONE 'UTC')::date;

-- name: blocked_in_past
-- usage_months_blocked
SELECT m.cluster_id, m.month::text AS month, c.slug, c.tenant_id
FROM queen_proxy.usage_months m
JOIN queen_proxy.clusters c ON c.id = m.cluster_id
WHERE m.blocked AND m.month < date_trunc('month', now() AT TIME ZONE 'UTC')::date
ORDER BY m.cluster_id, m.month
LIMIT ?
FOR UPDATE OF m;

-- name: end_past_block
UPDATE queen_proxy.usage_months SET blocked = false WHERE cluster_id = ? AND month = ?::date;

-- name: minutes_of_cluster
-- usage_minutes_pkey, downwards from now.
SELECT to_char(minute AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS minute,
       op_class, reqs, msgs, bytes_in, bytes_out
FROM queen_proxy.usage_minutes
WHERE cluster_id = ? AND minute >= now() - make_interval(hours => ?::int)
ORDER BY usage_minutes.minute, op_class
LIMIT ?;

-- name: month_by_class
-- Days that are added up, and the minutes of those that are not; usage_days_pkey, usage_minutes_pkey.
SELECT op_class, sum(reqs)::bigint AS reqs, sum(msgs)::bigint AS msgs,
       sum(bytes_in)::bigint AS bytes_in, sum(bytes_out)::bigint AS bytes_out
FROM (
  SELECT op_class, reqs, msgs, bytes_in, bytes_out
  FROM queen_proxy.usage_days
  WHERE cluster_id = ? AND day >= ?::date AND day < (?::date + interval '1 month')::date
    AND day NOT IN (SELECT day FROM queen_proxy.usage_open_days)
  UNION ALL
  SELECT op_class, reqs, msgs, bytes_in, bytes_out
  FROM queen_proxy.usage_minutes
  WHERE cluster_id = ?
    AND minute >= ?::date::timestamp AT TIME ZONE 'UTC'
    AND minute < (?::date + interval '1 month')::timestamp AT TIME ZONE 'UTC'
    AND (minute AT TIME ZONE 'UTC')::date IN (SELECT day FROM queen_proxy.usage_open_days)
) AS parts
GROUP BY op_class
ORDER BY op_class;

-- name: days_of_month
-- The same, day by day: what an invoice is made of.
SELECT day::text AS day, sum(reqs)::bigint AS reqs, sum(msgs)::bigint AS msgs,
       sum(bytes_in)::bigint AS bytes_in, sum(bytes_out)::bigint AS bytes_out
FROM (
  SELECT day, reqs, msgs, bytes_in, bytes_out
  FROM queen_proxy.usage_days
  WHERE cluster_id = ? AND day >= ?::date AND day < (?::date + interval '1 month')::date
    AND day NOT IN (SELECT day FROM queen_proxy.usage_open_days)
  UNION ALL
  SELECT (minute AT TIME ZONE 'UTC')::date, reqs, msgs, bytes_in, bytes_out
  FROM queen_proxy.usage_minutes
  WHERE cluster_id = ?
    AND minute >= ?::date::timestamp AT TIME ZONE 'UTC'
    AND minute < (?::date + interval '1 month')::timestamp AT TIME ZONE 'UTC'
    AND (minute AT TIME ZONE 'UTC')::date IN (SELECT day FROM queen_proxy.usage_open_days)
) AS parts
GROUP BY day
ORDER BY day;

-- name: month_msgs
SELECT coalesce((
  SELECT msgs FROM queen_proxy.usage_months WHERE cluster_id = ? AND month = ?::date
), 0) AS msgs;

-- name: activity
-- clusters_slug_key, then the ends of usage_minutes_pkey, usage_days_pkey, api_keys_cluster.
SELECT asked.slug, c.id, s.retained_bytes,
       to_char(greatest(m.last, d.last::timestamp AT TIME ZONE 'UTC') AT TIME ZONE 'UTC',
               'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS last_activity_at,
       to_char(CASE WHEN d.first IS NULL OR (p.first AT TIME ZONE 'UTC')::date <= d.first
                    THEN p.first
                    ELSE d.first::timestamp AT TIME ZONE 'UTC' END AT TIME ZONE 'UTC',
               'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS first_push_at,
       to_char(k.last AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS last_key_used_at
FROM unnest(?::text[]) WITH ORDINALITY AS asked (slug, position)
LEFT JOIN queen_proxy.clusters c ON c.slug = asked.slug
LEFT JOIN queen_proxy.storage_states s ON s.cluster_id = c.id
LEFT JOIN LATERAL (
  SELECT max(minute) AS last FROM queen_proxy.usage_minutes WHERE cluster_id = c.id
) AS m ON true
LEFT JOIN LATERAL (
  SELECT min(minute) AS first FROM queen_proxy.usage_minutes
  WHERE cluster_id = c.id AND op_class IN ('push', 'txn') AND msgs > 0
) AS p ON true
LEFT JOIN LATERAL (
  SELECT max(day) AS last, min(day) FILTER (WHERE op_class IN ('push', 'txn') AND msgs > 0) AS first
  FROM queen_proxy.usage_days WHERE cluster_id = c.id
) AS d ON true
LEFT JOIN LATERAL (
  SELECT max(last_used_at) AS last FROM queen_proxy.api_keys WHERE cluster_id = c.id
) AS k ON true
ORDER BY asked.position;
