-- By primary key. All of a row belongs to one instant: what it says is true of the segments below next_offset.
UPDATE queen.partitions p
SET first_offset = n.first_offset, next_offset = n.next_offset, segment_count = n.segment_count,
  retained_bytes = n.retained_bytes, oldest_at_micros = n.oldest_at_micros, newest_at_micros = n.newest_at_micros,
  sweep_due = n.sweep_due
FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::integer[], ?::bigint[], ?::bigint[], ?::bigint[], ?::boolean[])
  AS n (id, first_offset, next_offset, segment_count, retained_bytes, oldest_at_micros, newest_at_micros, sweep_due)
WHERE p.id = n.id
