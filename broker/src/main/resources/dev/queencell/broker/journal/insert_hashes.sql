INSERT INTO queen.transaction_hashes (partition_id, base_offset, created_at_micros, hashes)
SELECT * FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bytea[])
