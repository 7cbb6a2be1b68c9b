/**
 * A small stand-in for {@code psql}, for machines whose PostgreSQL came without one: runs
 * statements over JDBC and prints what they return.
 *
 * <p>No meta-commands but {@code \q}; no knowledge of any schema.
 */
package dev.queencell.cell.sql;
