SELECT application_name AS application, coalesce(state, 'unknown') AS state, wait_event_type, wait_event,
  count(*) AS sessions
FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
GROUP BY 1, 2, 3, 4
ORDER BY 5 DESC, 1, 2
