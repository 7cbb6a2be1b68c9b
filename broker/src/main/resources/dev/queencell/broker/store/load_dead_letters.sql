-- How many dead letters each partition has; there are few of them.
SELECT partition_id, count(*) FROM queen.dead_letters GROUP BY partition_id
