SELECT count(*) FROM queen.trace_names WHERE tenant = ? AND name = ?
