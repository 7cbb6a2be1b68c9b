-- name: insert
-- api_keys_key_hash_key decides which of two concurrent inserts wins.
INSERT INTO queen_proxy.api_keys (cluster_id, name, key_hash, scopes)
VALUES (?, ?, ?, ?)
ON CONFLICT (key_hash) DO NOTHING
RETURNING id;

-- name: by_hash
SELECT id, cluster_id, scopes, revoked_at IS NOT NULL AS revoked
FROM queen_proxy.api_keys
WHERE key_hash = ?;

-- name: lock_by_id
SELECT k.key_hash, k.revoked_at IS NOT NULL AS revoked, c.id AS cluster_id, c.tenant_id
FROM queen_proxy.api_keys k
JOIN queen_proxy.clusters c ON c.id = k.cluster_id
WHERE k.id = ?
FOR UPDATE OF k;

-- name: revoke
UPDATE queen_proxy.api_keys SET revoked_at = now() WHERE id = ?;

-- name: any_of_cluster
-- api_keys_cluster
SELECT EXISTS (SELECT 1 FROM queen_proxy.api_keys WHERE cluster_id = ?) AS found;

-- name: live_by_name
-- api_keys_cluster
SELECT id
FROM queen_proxy.api_keys
WHERE cluster_id = ? AND name = ? AND revoked_at IS NULL
ORDER BY created_at
LIMIT 1;

-- name: check
-- One probe of api_keys_key_hash_key per hash, in the order asked.
SELECT asked.key_hash, k.id IS NOT NULL AS valid, c.slug AS cluster_slug
FROM unnest(?::text[]) WITH ORDINALITY AS asked (key_hash, position)
LEFT JOIN queen_proxy.api_keys k ON k.key_hash = asked.key_hash AND k.revoked_at IS NULL
LEFT JOIN queen_proxy.clusters c ON c.id = k.cluster_id
ORDER BY asked.position;

-- name: mark_used
-- Primary key probes; never moves a time backwards.
UPDATE queen_proxy.api_keys k
SET last_used_at = now()
FROM unnest(?::uuid[]) AS used (id)
WHERE k.id = used.id AND (k.last_used_at IS NULL OR k.last_used_at < now());
