-- What the broker used, per bucket of time, oldest first (primary key of cell_minutes).
SELECT minute / ?::integer * ?::integer AS bucket,
  avg(cpu_percent), min(cpu_percent), max(cpu_percent), (array_agg(cpu_percent ORDER BY minute DESC))[1],
  avg(resident_bytes), min(resident_bytes), max(resident_bytes),
  (array_agg(resident_bytes ORDER BY minute DESC))[1],
  avg(heap_bytes), min(heap_bytes), max(heap_bytes), (array_agg(heap_bytes ORDER BY minute DESC))[1],
  avg(sessions), min(sessions), max(sessions), (array_agg(sessions ORDER BY minute DESC))[1],
  avg(uptime_seconds), min(uptime_seconds), max(uptime_seconds),
  (array_agg(uptime_seconds ORDER BY minute DESC))[1]
FROM queen.cell_minutes
WHERE minute >= ? AND minute < ?
GROUP BY 1
ORDER BY 1
