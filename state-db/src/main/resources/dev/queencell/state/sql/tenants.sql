-- name: insert
-- Waits for a concurrent insert of the same slug (unique index tenants_slug_key), then yields nothing.
INSERT INTO queen_proxy.tenants (slug, name)
VALUES (?, ?)
ON CONFLICT (slug) DO NOTHING
RETURNING id, slug, name, status;

-- name: lock
-- Row lock on the tenant: whatever creates things under it takes turns.
SELECT id, slug, name, status
FROM queen_proxy.tenants
WHERE slug = ?
FOR UPDATE;

-- name: by_slug
-- tenants_slug_key
SELECT id, slug, name, status FROM queen_proxy.tenants WHERE slug = ?;

-- name: page
-- Walks tenants_slug_key upwards from a slug.
SELECT id, slug, name, status
FROM queen_proxy.tenants
WHERE slug > ?
ORDER BY slug
LIMIT ?;

-- name: purge_begun
-- clusters_tenant
SELECT EXISTS (
  SELECT 1 FROM queen_proxy.purges p
  JOIN queen_proxy.clusters c ON c.id = p.cluster_id
  WHERE c.tenant_id = ?
) AS found;

-- name: set_status
UPDATE queen_proxy.tenants
SET status = ?
WHERE id = ?;

-- name: insert_user
INSERT INTO queen_proxy.users (id, tenant_id, email, password_hash)
VALUES (?, ?, ?, ?)
ON CONFLICT DO NOTHING
RETURNING id;

-- name: user_by_email
-- users_email_key
SELECT id, tenant_id, password_hash IS NOT NULL AS has_password
FROM queen_proxy.users
WHERE email = ?
FOR UPDATE;

-- name: set_password
UPDATE queen_proxy.users
SET password_hash = ?
WHERE id = ?;

-- name: has_identity
-- identities_user
SELECT EXISTS (SELECT 1 FROM queen_proxy.identities WHERE user_id = ? AND verified) AS found;

-- name: grant_role
INSERT INTO queen_proxy.cluster_roles AS r (user_id, cluster_id, role)
VALUES (?, ?, ?)
ON CONFLICT (user_id, cluster_id) DO UPDATE SET role = excluded.role WHERE r.role <> excluded.role;
