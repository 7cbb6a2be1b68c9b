UPDATE queen.buckets SET closed_at_micros = ? WHERE kind = ? AND bucket = ?
