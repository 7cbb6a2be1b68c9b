UPDATE queen.partitions p SET next_offset = n.next_offset
FROM unnest(?::bigint[], ?::bigint[]) AS n (id, next_offset)
WHERE p.id = n.id
