-- There is a row already after a restart within its minute.
INSERT INTO queen.cell_minutes (minute, cpu_percent, resident_bytes, heap_bytes, sessions, uptime_seconds)
VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (minute) DO NOTHING
