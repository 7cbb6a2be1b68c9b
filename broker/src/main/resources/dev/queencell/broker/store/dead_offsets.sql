-- Which messages of some spans are dead letters, of any group (dead_letters_message).
SELECT d.partition_id, d.message_offset
FROM unnest(?::bigint[], ?::bigint[], ?::bigint[]) AS a (partition_id, from_offset, to_offset)
JOIN queen.dead_letters d
  ON d.partition_id = a.partition_id
  AND d.message_offset >= a.from_offset AND d.message_offset < a.to_offset
