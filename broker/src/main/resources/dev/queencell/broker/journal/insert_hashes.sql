INSERT INTO queen.transaction_hashes (partition_id, base_offset, bucket, created_at_micros, hashes)
SELECT * FROM unnest(?::bigint[], ?::bigint[], ?::smallint[], ?::bigint[], ?::bytea[])
