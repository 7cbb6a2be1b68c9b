INSERT INTO queen.partitions (id, queue_id, name, created_at_micros)
SELECT * FROM unnest(?::bigint[], ?::bigint[], ?::text[], ?::bigint[])
