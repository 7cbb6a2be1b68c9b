-- name: cluster_by_id
SELECT c.id, c.slug, c.status, c.broker_tenant_uuid, c.limit_overrides::text AS overrides,
       t.id AS tenant_id, t.status AS tenant_status,
       p.code AS plan_code,
       p.max_req_per_sec, p.req_burst, p.max_msgs_per_sec, p.msgs_burst,
       p.max_queues, p.max_partitions_per_queue, p.max_parked_pops,
       p.max_payload_bytes, p.max_batch_items, p.max_retained_bytes, p.max_retention_seconds,
       p.monthly_msgs_quota, p.features::text AS features,
       l.slug AS cell_slug, l.base_url, l.cell_secret,
       coalesce(s.over_quota, false) AS storage_over,
       coalesce(s.retained_bytes, 0) AS storage_bytes, coalesce(m.msgs, 0) AS month_msgs
FROM queen_proxy.clusters c
JOIN queen_proxy.tenants t ON t.id = c.tenant_id
JOIN queen_proxy.plans p ON p.id = c.plan_id
JOIN queen_proxy.cells l ON l.id = c.cell_id
LEFT JOIN queen_proxy.storage_states s ON s.cluster_id = c.id
LEFT JOIN queen_proxy.usage_months m
  ON m.cluster_id = c.id AND m.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date
WHERE c.id = ?;

-- name: cluster_page
-- Walks clusters_slug_key upwards from a slug.
SELECT c.id, c.slug, c.status, c.broker_tenant_uuid, c.limit_overrides::text AS overrides,
       t.id AS tenant_id, t.status AS tenant_status,
       p.code AS plan_code,
       p.max_req_per_sec, p.req_burst, p.max_msgs_per_sec, p.msgs_burst,
       p.max_queues, p.max_partitions_per_queue, p.max_parked_pops,
       p.max_payload_bytes, p.max_batch_items, p.max_retained_bytes, p.max_retention_seconds,
       p.monthly_msgs_quota, p.features::text AS features,
       l.slug AS cell_slug, l.base_url, l.cell_secret,
       coalesce(s.over_quota, false) AS storage_over,
       coalesce(s.retained_bytes, 0) AS storage_bytes, coalesce(m.msgs, 0) AS month_msgs
FROM queen_proxy.clusters c
JOIN queen_proxy.tenants t ON t.id = c.tenant_id
JOIN queen_proxy.plans p ON p.id = c.plan_id
JOIN queen_proxy.cells l ON l.id = c.cell_id
LEFT JOIN queen_proxy.storage_states s ON s.cluster_id = c.id
LEFT JOIN queen_proxy.usage_months m
  ON m.cluster_id = c.id AND m.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date
WHERE c.slug > ?
ORDER BY c.slug
LIMIT ?;

-- name: id_of_slug
-- clusters_slug_key
SELECT id FROM queen_proxy.clusters WHERE slug = ?;

-- name: feed_position
SELECT f.epoch,
       coalesce((SELECT max(seq) FROM queen_proxy.changes), 0) AS last_seq,
       coalesce((SELECT min(seq) FROM queen_proxy.changes), 1) AS first_seq
FROM queen_proxy.feed f;

-- name: changes_after
-- Walks the primary key upwards.
SELECT seq, kind, cluster_id, cluster_slug, key_hash, jti
FROM queen_proxy.changes
WHERE seq > ?
ORDER BY seq
LIMIT ?;

-- name: prune_changes
-- Keeps the newest row for ever: its number is the feed's position.
DELETE FROM queen_proxy.changes
WHERE at < now() - make_interval(secs => ?)
  AND seq < (SELECT max(seq) FROM queen_proxy.changes);

-- name: settings
SELECT enforce FROM queen_proxy.edge_settings;

-- name: lock_settings
SELECT enforce FROM queen_proxy.edge_settings FOR UPDATE;

-- name: set_enforce
UPDATE queen_proxy.edge_settings SET enforce = ?;
