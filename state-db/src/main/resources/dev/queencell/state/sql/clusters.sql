-- name: insert
-- Waits for a concurrent insert of the same slug (unique index clusters_slug_key), then yields nothing.
INSERT INTO queen_proxy.clusters (slug, tenant_id, cell_id, plan_id)
VALUES (?, ?, ?, ?)
ON CONFLICT (slug) DO NOTHING
RETURNING id;

-- name: lock_by_slug
SELECT id
FROM queen_proxy.clusters
WHERE slug = ?
FOR UPDATE;

-- name: lock_by_id
SELECT id
FROM queen_proxy.clusters
WHERE id = ?
FOR UPDATE;

-- name: by_id
-- Primary keys all the way.
SELECT c.id, c.slug, c.status, c.broker_tenant_uuid, c.limit_overrides::text AS overrides,
       t.id AS tenant_id, t.slug AS tenant_slug, t.status AS tenant_status,
       p.code AS plan_code, l.id AS cell_id, l.slug AS cell_slug
FROM queen_proxy.clusters c
JOIN queen_proxy.tenants t ON t.id = c.tenant_id
JOIN queen_proxy.plans p ON p.id = c.plan_id
JOIN queen_proxy.cells l ON l.id = c.cell_id
WHERE c.id = ?;

-- name: by_slug
-- clusters_slug_key
SELECT c.id, c.slug, c.status, c.broker_tenant_uuid, c.limit_overrides::text AS overrides,
       t.id AS tenant_id, t.slug AS tenant_slug, t.status AS tenant_status,
       p.code AS plan_code, l.id AS cell_id, l.slug AS cell_slug
FROM queen_proxy.clusters c
JOIN queen_proxy.tenants t ON t.id = c.tenant_id
JOIN queen_proxy.plans p ON p.id = c.plan_id
JOIN queen_proxy.cells l ON l.id = c.cell_id
WHERE c.slug = ?;

-- name: page
-- Walks clusters_slug_key upwards from a slug.
SELECT c.id, c.slug, c.status, c.broker_tenant_uuid, c.limit_overrides::text AS overrides,
       t.id AS tenant_id, t.slug AS tenant_slug, t.status AS tenant_status,
       p.code AS plan_code, l.id AS cell_id, l.slug AS cell_slug
FROM queen_proxy.clusters c
JOIN queen_proxy.tenants t ON t.id = c.tenant_id
JOIN queen_proxy.plans p ON p.id = c.plan_id
JOIN queen_proxy.cells l ON l.id = c.cell_id
WHERE c.slug > ? AND (?::text IS NULL OR p.code = ?)
ORDER BY c.slug
LIMIT ?;

-- name: of_tenant
-- clusters_tenant
SELECT id, slug, broker_tenant_uuid
FROM queen_proxy.clusters
WHERE tenant_id = ?
ORDER BY slug;

-- name: set_status
UPDATE queen_proxy.clusters SET status = ? WHERE id = ?;

-- name: set_plan
UPDATE queen_proxy.clusters SET plan_id = ? WHERE id = ?;

-- name: set_overrides
UPDATE queen_proxy.clusters SET limit_overrides = ?::jsonb WHERE id = ?;
