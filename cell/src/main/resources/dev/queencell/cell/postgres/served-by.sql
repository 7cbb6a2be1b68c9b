-- The server process of this session. Reads nothing.
SELECT pg_backend_pid();
