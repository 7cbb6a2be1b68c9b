-- Lets a standby take over at once after a graceful stop.
UPDATE queen.owner SET deadline = '-infinity' WHERE epoch = ? AND holder = ?
