-- Moves our deadline on; no row when another has taken over. By PostgreSQL's clock alone.
INSERT INTO queen.owner_liveness (epoch, deadline)
SELECT epoch, now() + ? * interval '1 millisecond' FROM queen.owner WHERE epoch = ? AND holder = ?
ON CONFLICT (only_row) DO UPDATE SET epoch = excluded.epoch, deadline = excluded.deadline
