-- name: insert_operation
INSERT INTO queen_proxy.operations (tenant_id, cluster_id, actor, actor_id, action, target, meta)
VALUES (?, ?, ?, ?, ?, ?, ?::jsonb);

-- name: lock_feed
-- Held until commit, so that changes become visible in the order of their numbers. Always the last
-- lock of a transaction.
SELECT pg_advisory_xact_lock(7140230915);

-- name: insert_change
INSERT INTO queen_proxy.changes (kind, cluster_id, cluster_slug, key_hash, jti)
VALUES (?, ?, ?, ?, ?);

-- name: insert_outbox
INSERT INTO queen_proxy.outbox (kind, payload) VALUES (?, ?::jsonb);

-- name: operations_of_tenant
-- operations_tenant. The id of a tenant that is gone is found in what was written about it.
SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS at,
       actor, actor_id, action, target, tenant_id, cluster_id, meta::text AS meta
FROM queen_proxy.operations
WHERE tenant_id IN (
  SELECT id FROM queen_proxy.tenants WHERE slug = ?
  UNION
  SELECT tenant_id FROM queen_proxy.operations WHERE action = 'tenant_deleted' AND target = ?
)
ORDER BY operations.at DESC, id
LIMIT ?;

-- name: open_messages
-- outbox_open
SELECT id, kind, payload::text AS payload,
       to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS created_at
FROM queen_proxy.outbox
WHERE consumed_at IS NULL
ORDER BY outbox.created_at, id
LIMIT ?;

-- name: consume_message
UPDATE queen_proxy.outbox SET consumed_at = now() WHERE id = ? AND consumed_at IS NULL;
