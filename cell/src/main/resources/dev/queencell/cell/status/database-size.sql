-- Bytes on disk of the database of this session. Looks at the file system: no index, no lock.
SELECT pg_database_size(current_database());
