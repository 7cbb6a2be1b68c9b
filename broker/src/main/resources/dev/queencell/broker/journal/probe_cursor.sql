-- Did a commit in doubt happen? By primary key.
SELECT revision, committed, lease_high, lease_low FROM queen.cursors WHERE partition_id = ? AND group_id = ?
