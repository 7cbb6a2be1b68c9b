-- name: place
-- clusters_pkey: where the cluster's queues are.
SELECT c.id, c.slug, c.tenant_id, c.broker_tenant_uuid, l.base_url, l.cell_secret,
       c.status = 'deleting' OR t.status = 'deleting' AS deleting
FROM queen_proxy.clusters c
JOIN queen_proxy.tenants t ON t.id = c.tenant_id
JOIN queen_proxy.cells l ON l.id = c.cell_id
WHERE c.id = ?;
