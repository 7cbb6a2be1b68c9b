/**
 * A cell's home as other duties read it: what {@code cell.env} says.
 *
 * <p>Reads only; the scripts own what is in the home.
 */
package dev.queencell.cell.home;
