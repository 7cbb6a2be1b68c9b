-- Takes the slot away from readers, not the table from writers: its lock is on the one child alone.
TRUNCATE queen.%s_%d
