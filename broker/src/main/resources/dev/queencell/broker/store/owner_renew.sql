-- Moves our deadline on; no row when another has taken over.
UPDATE queen.owner SET deadline = now() + ? * interval '1 millisecond' WHERE epoch = ? AND holder = ?
