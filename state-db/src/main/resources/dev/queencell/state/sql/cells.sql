-- name: insert
INSERT INTO queen_proxy.cells (slug, base_url, region, class, cell_secret)
VALUES (?, ?, coalesce(?, 'local'), coalesce(?, 'shared'), ?)
ON CONFLICT (slug) DO NOTHING
RETURNING id, slug, base_url, region, class, cell_secret;

-- name: lock
SELECT id, slug, base_url, region, class, cell_secret
FROM queen_proxy.cells
WHERE slug = ?
FOR UPDATE;

-- name: update
UPDATE queen_proxy.cells
SET base_url = ?, region = ?, class = ?, cell_secret = ?
WHERE id = ?;

-- name: list
SELECT id, slug, base_url, region, class, cell_secret
FROM queen_proxy.cells
ORDER BY slug
LIMIT ?;

-- name: by_slug
SELECT id, slug, base_url, region, class, cell_secret
FROM queen_proxy.cells
WHERE slug = ?;

-- name: by_id
SELECT id, slug, base_url, region, class, cell_secret
FROM queen_proxy.cells
WHERE id = ?;
