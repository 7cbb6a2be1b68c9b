-- The highest number of all stays, so that no partition ever gets it again.
DELETE FROM queen.reclaims
WHERE partition_id = ANY (?) AND partition_id < (SELECT max(id) FROM queen.partitions)
