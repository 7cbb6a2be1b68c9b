-- name: insert
-- api_keys_key_hash_key decides which of two concurrent inserts wins.
INSERT INTO queen_proxy.api_keys (cluster_id, name, key_hash, scopes)
VALUES (?, ?, ?, ?)
ON CONFLICT (key_hash) DO NOTHING
RETURNING id;

-- name: by_hash
SELECT id, cluster_id, scopes,
       revoked_at IS NOT NULL OR coalesce(expires_at <= now(), false) AS revoked
FROM queen_proxy.api_keys
WHERE key_hash = ?;

-- name: lock_by_id
SELECT k.name, k.key_hash, k.scopes, k.revoked_at IS NOT NULL AS revoked,
       k.replaced_by, c.id AS cluster_id, c.tenant_id,
       to_char(k.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS expires_at
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
WHERE cluster_id = ? AND name = ? AND revoked_at IS NULL AND replaced_by IS NULL
ORDER BY created_at
LIMIT 1;

-- name: check
-- One probe of api_keys_key_hash_key per hash, in the order asked.
SELECT asked.key_hash, k.id IS NOT NULL AS valid, c.slug AS cluster_slug
FROM unnest(?::text[]) WITH ORDINALITY AS asked (key_hash, position)
LEFT JOIN queen_proxy.api_keys k ON k.key_hash = asked.key_hash AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
LEFT JOIN queen_proxy.clusters c ON c.id = k.cluster_id
ORDER BY asked.position;

-- name: mark_used
-- Primary key probes; never moves a time backwards, nor beyond the key's end: the word of a use comes
-- late.
UPDATE queen_proxy.api_keys k
SET last_used_at = least(now(), k.revoked_at, k.expires_at)
FROM unnest(?::uuid[]) AS used (id)
WHERE k.id = used.id AND (k.last_used_at IS NULL OR k.last_used_at < least(now(), k.revoked_at, k.expires_at));

-- name: replace
-- The rotated key works on until it expires; an earlier end stays.
UPDATE queen_proxy.api_keys
SET replaced_by = ?, expires_at = least(expires_at, now() + make_interval(secs => ?))
WHERE id = ?
RETURNING to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS expires_at;

-- name: expired
-- api_keys_expiring
SELECT k.id, k.key_hash, k.cluster_id, c.tenant_id
FROM queen_proxy.api_keys k
JOIN queen_proxy.clusters c ON c.id = k.cluster_id
WHERE k.expires_at <= now() AND k.revoked_at IS NULL
ORDER BY k.expires_at
LIMIT ?
FOR UPDATE OF k SKIP LOCKED;

-- name: expire
UPDATE queen_proxy.api_keys SET revoked_at = expires_at WHERE id = ?;

-- name: of_cluster
-- api_keys_cluster
SELECT id, name, scopes, replaced_by,
       to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS created_at,
       to_char(last_used_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS last_used_at,
       to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS expires_at,
       to_char(revoked_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS revoked_at
FROM queen_proxy.api_keys
WHERE cluster_id = ?
ORDER BY created_at, id
LIMIT ?;
