-- A batch of minutes that are too old (BRIN on minute: they lie at the beginning of the table).
DELETE FROM queen.queue_minutes
WHERE ctid = ANY (ARRAY(SELECT ctid FROM queen.queue_minutes WHERE minute < ? LIMIT ?))
