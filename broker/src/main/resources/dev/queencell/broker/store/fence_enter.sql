-- Held as long as the session lives. Taken BEFORE the epoch is read: no old session slips in behind a take-over.
SELECT pg_advisory_lock_shared(?)
