/**
 * How a subcommand prints: aligned tables for people, JSON for machines.
 *
 * <p>Knows nothing about what is printed.
 */
package dev.queencell.cell.output;
