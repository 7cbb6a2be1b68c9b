/**
 * PostgreSQL of the cell: its binaries, a data directory, a running server, and what the scripts
 * need of {@code psql}.
 *
 * <p>Knows nothing of the schemas that live in the databases, and never decides how large anything
 * may be: settings come from {@code plan}.
 */
package dev.queencell.cell.postgres;
