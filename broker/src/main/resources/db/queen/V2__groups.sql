-- conflation: the group takes only the newest message of each partition. seeded is false from the moment its
-- cursors are deleted while its subscription stays, until its next pop places them anew.
ALTER TABLE groups
  ADD COLUMN conflation boolean NOT NULL DEFAULT false,
  ADD COLUMN seeded boolean NOT NULL DEFAULT true;
