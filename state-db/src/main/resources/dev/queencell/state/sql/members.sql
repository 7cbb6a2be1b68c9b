-- name: list
-- cluster_roles_cluster
SELECT u.id, u.email, r.role
FROM queen_proxy.cluster_roles r
JOIN queen_proxy.users u ON u.id = r.user_id
WHERE r.cluster_id = ?
ORDER BY u.email
LIMIT ?;

-- name: user_of_tenant
-- users_email_key
SELECT id FROM queen_proxy.users WHERE tenant_id = ? AND email = ?;

-- name: user_by_email
-- users_email_key
SELECT id, tenant_id, email, is_operator FROM queen_proxy.users WHERE email = ? FOR UPDATE;

-- name: role_for_update
SELECT role FROM queen_proxy.cluster_roles WHERE user_id = ? AND cluster_id = ? FOR UPDATE;

-- name: other_admins
-- cluster_roles_cluster; the cluster's row is held, so that two can't leave at once.
SELECT count(*) AS others
FROM queen_proxy.cluster_roles
WHERE cluster_id = ? AND role = 'admin' AND user_id <> ?;

-- name: remove
DELETE FROM queen_proxy.cluster_roles WHERE user_id = ? AND cluster_id = ?;

-- name: set_operator
UPDATE queen_proxy.users SET is_operator = ? WHERE id = ?;
