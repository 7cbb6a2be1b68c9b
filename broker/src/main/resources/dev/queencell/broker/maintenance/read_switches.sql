-- Two rows.
SELECT name, enabled
FROM queen.maintenance
