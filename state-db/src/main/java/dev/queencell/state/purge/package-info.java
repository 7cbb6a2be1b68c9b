/**
 * The end of a tenant: its namespace at its broker emptied by a job that survives restarts, then
 * its rows here. Usage and audit rows stay.
 */
package dev.queencell.state.purge;
