DELETE FROM queen.buckets WHERE kind = ? AND bucket = ?
