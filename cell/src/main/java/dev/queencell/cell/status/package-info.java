/**
 * What a running cell looks like at this moment: the caps that the kernel enforces, every process
 * with what it uses and whether it is well, the settings in force, ports and disk.
 *
 * <p>Reads only: it starts, stops and changes nothing. Which processes there should be and where
 * their records are comes from the home's {@code cell.env}, written by the scripts.
 */
package dev.queencell.cell.status;
