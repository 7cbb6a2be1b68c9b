/**
 * Child processes: as whom they run, how they are signalled, and that they end with their parent.
 *
 * <p>Knows no particular program; PostgreSQL's own ways are in {@code postgres}.
 */
package dev.queencell.cell.process;
