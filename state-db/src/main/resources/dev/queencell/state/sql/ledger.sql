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
