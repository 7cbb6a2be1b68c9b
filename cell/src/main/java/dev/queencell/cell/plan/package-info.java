/**
 * The budget of a cell: from one number of CPUs and one of memory to what each of the five
 * processes may use, so that the parts fit under the cap with room for the page cache that the cap
 * is charged for.
 *
 * <p>Pure arithmetic, every number with its reason; never reads a database or a control group, and
 * never trades durability for speed.
 */
package dev.queencell.cell.plan;
