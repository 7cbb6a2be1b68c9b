-- By primary key.
DELETE FROM queen.dead_letters WHERE id = ANY (?)
