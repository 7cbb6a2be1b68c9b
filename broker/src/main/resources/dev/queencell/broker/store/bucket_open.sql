INSERT INTO queen.buckets (kind, bucket, opened_at_micros) VALUES (?, ?, ?)
