/**
 * Turns measured points into a page that a person reads: the command line of {@code report.jar}.
 *
 * <p>Reads files that others wrote and writes files; it measures nothing, starts no service and
 * changes no record.
 */
package dev.queencell.report;
