-- Did a commit in doubt happen? By primary key.
SELECT codec, frames FROM queen.segments WHERE partition_id = ? AND base_offset = ? AND bucket = ?
