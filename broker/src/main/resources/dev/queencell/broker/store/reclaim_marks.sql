-- Forgets up to where keys of partitions that are gone stand one by one; by primary key.
DELETE FROM queen.key_marks WHERE partition_id = ANY (?)
