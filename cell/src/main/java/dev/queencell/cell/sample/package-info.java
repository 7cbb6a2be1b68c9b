/**
 * Records what a cell uses while a point runs: CPU, throttling, memory, pressure and IO of every
 * process, PostgreSQL's own counters and wait events, the services' metrics; once a second, on the
 * monotonic clock, into CSV files. Looks beforehand whether others use the machine.
 *
 * <p>Owns the format of those files. Runs outside the cell's slice, changes nothing in the cell,
 * and never decides what a number means: that is {@code summary}'s duty.
 */
package dev.queencell.cell.sample;
