-- Which of some partitions have dead letters; by the index on the partition.
SELECT DISTINCT partition_id FROM queen.dead_letters WHERE partition_id = ANY (?)
