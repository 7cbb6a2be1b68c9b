-- Deletes rows of bucket 0 below the first offsets of their partitions; a bounded number, by primary key. Nobody
-- reads them any more, so that it matters to nobody when it happens, or whether twice.
DELETE FROM queen.segments_0 d
USING (
  SELECT s.partition_id, s.base_offset
  FROM unnest(?::bigint[], ?::bigint[]) AS p (id, first_offset)
  CROSS JOIN LATERAL (
    SELECT partition_id, base_offset FROM queen.segments_0
    WHERE partition_id = p.id AND base_offset < p.first_offset
    ORDER BY base_offset
    LIMIT ?
  ) s
  LIMIT ?
) dead
WHERE d.partition_id = dead.partition_id AND d.base_offset = dead.base_offset
