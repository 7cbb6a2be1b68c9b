-- What this server was set to that PostgreSQL would not choose by itself. Reads the server's memory
-- only: no index, no lock. Left out: where files are, what initdb records, what a session sets.
SELECT name, current_setting(name) AS value
FROM pg_settings
WHERE source IN ('configuration file', 'command line', 'environment variable')
  AND setting IS DISTINCT FROM boot_val
  AND category NOT LIKE 'File Locations%'
  AND category NOT LIKE 'Client Connection Defaults / Locale%'
  AND category NOT LIKE 'Preset Options%'
  AND name NOT IN ('port', 'listen_addresses', 'unix_socket_directories', 'log_line_prefix',
                   'log_timezone', 'TimeZone')
ORDER BY name;
