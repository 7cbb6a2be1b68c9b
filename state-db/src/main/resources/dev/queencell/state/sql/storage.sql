-- name: cluster_for_update
-- Holds the cluster's row, so that reports of several proxies take turns.
SELECT c.id, c.slug, c.tenant_id, p.max_retained_bytes, c.limit_overrides::text AS overrides,
       coalesce(s.over_quota, false) AS over_quota
FROM queen_proxy.clusters c
JOIN queen_proxy.plans p ON p.id = c.plan_id
LEFT JOIN queen_proxy.storage_states s ON s.cluster_id = c.id
WHERE c.id = ?
FOR UPDATE OF c;

-- name: set_state
INSERT INTO queen_proxy.storage_states (cluster_id, retained_bytes, over_quota)
VALUES (?, ?, ?)
ON CONFLICT (cluster_id) DO UPDATE
SET retained_bytes = excluded.retained_bytes, over_quota = excluded.over_quota, measured_at = now();

-- name: put_queues
-- queues_pkey, in key order; a row that stays as it is is not written again.
INSERT INTO queen_proxy.queues AS q (cluster_id, name, partitions_count)
SELECT ?, r.name, r.partitions
FROM unnest(?::text[], ?::bigint[]) AS r (name, partitions)
ORDER BY r.name
ON CONFLICT (cluster_id, name) DO UPDATE
SET partitions_count = excluded.partitions_count, deleted_at = NULL
WHERE q.partitions_count <> excluded.partitions_count OR q.deleted_at IS NOT NULL;

-- name: drop_other_queues
UPDATE queen_proxy.queues
SET deleted_at = now()
WHERE cluster_id = ? AND deleted_at IS NULL AND NOT (name = ANY (?::text[]));

-- name: queues
SELECT name, partitions_count
FROM queen_proxy.queues
WHERE cluster_id = ? AND deleted_at IS NULL
ORDER BY name
LIMIT ?;
