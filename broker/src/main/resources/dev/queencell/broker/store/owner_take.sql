-- Becomes the owner when nobody is, when the owner's deadline has passed, or when it was us.
UPDATE queen.owner o
SET epoch = epoch + 1, holder = ?, url = ?
WHERE holder IS NULL
  OR holder = ?
  OR NOT EXISTS (SELECT FROM queen.owner_liveness l WHERE l.epoch = o.epoch AND l.deadline > now())
RETURNING epoch
