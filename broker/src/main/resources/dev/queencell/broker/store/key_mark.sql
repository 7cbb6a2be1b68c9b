-- Up to where a partition's keys stand one by one; by primary key.
SELECT next_offset, newest_at_micros FROM queen.key_marks WHERE partition_id = ?
