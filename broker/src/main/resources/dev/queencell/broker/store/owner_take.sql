-- Becomes the owner when nobody is, when the owner's deadline has passed, or when it was us. Locks the one row.
UPDATE queen.owner
SET epoch = epoch + 1, holder = ?, url = ?, deadline = now() + ? * interval '1 millisecond'
WHERE deadline < now() OR holder = ? OR holder IS NULL
RETURNING epoch
