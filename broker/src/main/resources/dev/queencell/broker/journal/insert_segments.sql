INSERT INTO queen.segments (partition_id, base_offset, message_count, codec, bucket, created_at_micros, frames) VALUES
