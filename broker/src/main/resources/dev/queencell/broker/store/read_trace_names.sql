-- A tenant's names with their counts, by its part of the primary key of trace_names.
SELECT name, count(*) AS traces, count(DISTINCT (partition_id, transaction_key)) AS messages,
  max(created_at_micros) AS last_micros
FROM queen.trace_names
WHERE tenant = ?
GROUP BY name
ORDER BY last_micros DESC, name
LIMIT ? OFFSET ?
