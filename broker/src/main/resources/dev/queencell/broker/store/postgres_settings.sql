-- What decides how PostgreSQL performs, and whatever else was set on purpose.
SELECT name, current_setting(name) AS value
FROM pg_settings
WHERE name IN ('shared_buffers', 'work_mem', 'maintenance_work_mem', 'effective_cache_size', 'wal_buffers',
    'max_wal_size', 'min_wal_size', 'checkpoint_timeout', 'synchronous_commit', 'fsync', 'full_page_writes',
    'wal_compression', 'wal_level', 'commit_delay', 'max_connections', 'autovacuum', 'jit', 'io_method',
    'server_version', 'shared_preload_libraries', 'huge_pages', 'random_page_cost', 'bgwriter_delay')
ORDER BY name
