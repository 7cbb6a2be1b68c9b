INSERT INTO queen.checkpoints (lane, created_at_micros) VALUES (?, ?)
ON CONFLICT (lane) DO UPDATE SET created_at_micros = excluded.created_at_micros
