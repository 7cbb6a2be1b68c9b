-- name: login
-- users_email_key
SELECT id, password_hash
FROM queen_proxy.users
WHERE email = ? AND password_hash IS NOT NULL;

-- name: person
SELECT u.tenant_id, t.slug AS tenant_slug, u.email, u.is_operator
FROM queen_proxy.users u
JOIN queen_proxy.tenants t ON t.id = u.tenant_id
WHERE u.id = ?;

-- name: revoked
SELECT EXISTS (SELECT 1 FROM queen_proxy.revoked_tokens WHERE jti = ?) AS found;

-- name: revoke
INSERT INTO queen_proxy.revoked_tokens (jti, expires_at)
VALUES (?, ?::timestamptz)
ON CONFLICT (jti) DO NOTHING;

-- name: sweep
-- revoked_tokens_expiry
DELETE FROM queen_proxy.revoked_tokens WHERE expires_at < now();

-- name: clusters_of_user
SELECT c.id, c.slug, r.role
FROM queen_proxy.cluster_roles r
JOIN queen_proxy.clusters c ON c.id = r.cluster_id
WHERE r.user_id = ?
ORDER BY c.slug
LIMIT ?;

-- name: role_by_id
SELECT c.id, r.role
FROM queen_proxy.clusters c
LEFT JOIN queen_proxy.cluster_roles r ON r.cluster_id = c.id AND r.user_id = ?
WHERE c.id = ?;

-- name: role_by_slug
-- clusters_slug_key
SELECT c.id, r.role
FROM queen_proxy.clusters c
LEFT JOIN queen_proxy.cluster_roles r ON r.cluster_id = c.id AND r.user_id = ?
WHERE c.slug = ?;
