/**
 * The operator's command line over the control plane: one call or a few per command, a table or the
 * answer's JSON. Knows the HTTP API and nothing of the database.
 */
package dev.queencell.state.cli;
