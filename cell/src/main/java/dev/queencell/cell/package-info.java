/**
 * The command line of {@code cell.jar}: everything about bringing up, capping and measuring a cell
 * that computes. The shell scripts start, stop and print; what needs arithmetic, a database or the
 * kernel's control groups is a subcommand here.
 *
 * <p>Owns the entry point and how a failure is told; each subcommand lives in the package of its
 * duty and those never depend on this one.
 */
package dev.queencell.cell;
