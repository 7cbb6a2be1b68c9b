-- Lets a standby take over at once after a graceful stop.
DELETE FROM queen.owner_liveness l
USING queen.owner o
WHERE o.epoch = ? AND o.holder = ? AND l.epoch = o.epoch
