-- What decides whether this server can hold the messages. Catalog look-ups by key; no lock.
SELECT current_setting('server_version_num')::int AS version_number,
       pg_is_in_recovery() AS is_standby,
       has_database_privilege(current_database(), 'CREATE') AS may_create,
       pg_encoding_to_char(encoding) AS encoding
FROM pg_database
WHERE datname = current_database();
