-- name: progress_of_tenant
-- clusters_tenant
SELECT c.id, c.slug, c.broker_tenant_uuid, p.cluster_id IS NOT NULL AS started,
       p.finished_at IS NOT NULL AS done, p.last_error,
       coalesce(p.queues_deleted, 0) AS queues_deleted,
       coalesce(p.partitions_deleted, 0) AS partitions_deleted
FROM queen_proxy.clusters c
LEFT JOIN queen_proxy.purges p ON p.cluster_id = c.id
WHERE c.tenant_id = ?
ORDER BY c.slug;

-- name: begin
INSERT INTO queen_proxy.purges (cluster_id)
SELECT id FROM queen_proxy.clusters WHERE tenant_id = ?
ON CONFLICT (cluster_id) DO NOTHING;

-- name: claim
-- purges_due. Whoever takes one has it for a while; others pass over it.
UPDATE queen_proxy.purges p
SET attempts = p.attempts + 1, next_attempt_at = now() + make_interval(secs => ?)
FROM (
  SELECT d.cluster_id
  FROM queen_proxy.purges d
  JOIN queen_proxy.clusters dc ON dc.id = d.cluster_id
  JOIN queen_proxy.tenants dt ON dt.id = dc.tenant_id
  WHERE d.finished_at IS NULL AND d.next_attempt_at <= now() AND dt.status = 'deleting'
  ORDER BY d.next_attempt_at
  LIMIT 1
  FOR UPDATE OF d SKIP LOCKED
) AS due, queen_proxy.clusters c, queen_proxy.cells l
WHERE p.cluster_id = due.cluster_id AND c.id = p.cluster_id AND l.id = c.cell_id
RETURNING c.id, c.slug, c.tenant_id, c.broker_tenant_uuid, l.base_url, l.cell_secret, p.attempts,
          p.queues_deleted, p.partitions_deleted,
          extract(epoch FROM now() - p.started_at)::float8 >= ?::float8 AS settled;

-- name: progress
UPDATE queen_proxy.purges
SET queues_deleted = queues_deleted + 1, partitions_deleted = partitions_deleted + ?
WHERE cluster_id = ?;

-- name: again
UPDATE queen_proxy.purges
SET next_attempt_at = now() + make_interval(secs => ?), last_error = ?
WHERE cluster_id = ?;

-- name: finish
UPDATE queen_proxy.purges
SET finished_at = now(), last_error = NULL
WHERE cluster_id = ? AND finished_at IS NULL;

-- name: live_keys_of_tenant
SELECT k.cluster_id, k.key_hash
FROM queen_proxy.api_keys k
JOIN queen_proxy.clusters c ON c.id = k.cluster_id
WHERE c.tenant_id = ? AND k.revoked_at IS NULL;

-- name: delete_clusters
-- Keys, roles, queues, buckets, purges go along.
DELETE FROM queen_proxy.clusters WHERE tenant_id = ?;

-- name: delete_users
DELETE FROM queen_proxy.users WHERE tenant_id = ?;

-- name: delete_tenant
DELETE FROM queen_proxy.tenants WHERE id = ?;
