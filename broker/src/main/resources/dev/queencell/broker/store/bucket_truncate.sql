-- Takes the slot away from readers, not the tables from writers: its locks are on the children alone.
TRUNCATE %s
