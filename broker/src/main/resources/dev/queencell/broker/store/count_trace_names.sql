SELECT count(DISTINCT name) FROM queen.trace_names WHERE tenant = ?
