-- The slots that hold something; the open one of a ring is the one being written.
SELECT bucket, opened_at_micros, closed_at_micros FROM queen.buckets WHERE kind = ?
