-- One row by its primary key; locks that row only.
UPDATE queen.maintenance
SET enabled = ?, changed_at = now()
WHERE name = ?
