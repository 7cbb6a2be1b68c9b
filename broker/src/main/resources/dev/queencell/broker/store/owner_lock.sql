-- Contenders queue here; what each then reads is what the one before has committed.
SELECT epoch FROM queen.owner FOR UPDATE
