SELECT count(*), min(failed_at), max(failed_at)
FROM queen.dead_letters
WHERE queue_id = ?
