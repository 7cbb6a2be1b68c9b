DELETE FROM queen.cell_minutes WHERE minute < ?
