-- Partitions that are gone and whose rows may not be.
SELECT partition_id FROM queen.reclaims WHERE partition_id > ? ORDER BY partition_id LIMIT ?
